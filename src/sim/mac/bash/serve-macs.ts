/**
 * Some simulated Macs for a person: switched on, each at an SSH port, with a key that opens them all. They run real bash where
 * a sandbox can be made, and are step-level otherwise.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import { createIds } from '../../../base/ids.ts';
import type { Random } from '../../../base/random.ts';
import { Secret } from '../../../base/secret.ts';
import { type OpenSshKey, openSshKeyFrom } from '../../../pki/openssh-key.ts';
import { createSimCloud } from '../../cloud/sim-cloud.ts';
import { createSimMacs } from '../sim-macs.ts';
import type { SshDoor } from '../ssh-door.ts';
import { serveMac } from '../ssh-server.ts';
import { createBashMac } from './bash-mac.ts';
import { openMacRack } from './mac-rack.ts';
import { assertSandboxPossible, sandboxObstacle } from './sandbox.ts';
import { scaleClock } from './scaled-clock.ts';
import type { MacScenario } from './scenarios.ts';
import { serveBashMac } from './serve-bash-mac.ts';
import { stageScenario } from './stage-scenario.ts';

export interface ServeMacsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly count: number;
  /** Of the first; the others follow. 0 takes free ones. */
  readonly port: number;
  /** How many of a Mac's seconds pass in one of ours. */
  readonly speed: number;
  readonly scenario?: MacScenario;
  /** The best that is possible here unless given. */
  readonly kind?: MacKind;
}

export type MacKind = 'real-bash' | 'step-level';

export interface ServedMac {
  readonly name: string;
  readonly port: number;
  /** Of the user m1. */
  readonly password: Secret<string>;
}

export interface ServedMacs {
  readonly kind: MacKind;
  /** Why it is not the best kind; undefined for that one. */
  readonly because: string | undefined;
  readonly macs: readonly ServedMac[];
  /** Of the private key. */
  readonly keyPath: string;
  /** For `ssh -F`: knows every Mac by its name. */
  readonly configPath: string;
  /** A line `<host> <password>` for each. */
  readonly passwordsPath: string;
  close(): Promise<void>;
}

export const serveMacs = async (options: ServeMacsOptions): Promise<ServedMacs> => {
  const key = openSshKeyFrom(options.random.bytes(32));
  const because = options.kind === 'step-level' ? 'as it was asked for' : sandboxObstacle();
  if (options.kind === 'real-bash') assertSandboxPossible();
  const { macs, close } = await (because === undefined ? serveBashMacs : serveStepLevelMacs)(options, key);
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-sim-mac-'));
  const keyPath = join(dir, 'key');
  const configPath = join(dir, 'ssh_config');
  const passwordsPath = join(dir, 'passwords');
  const passwords = macs.map(({ port, password }) => `127.0.0.1:${port} ${password.reveal()}\n`);
  writeFileSync(passwordsPath, passwords.join(''), { mode: 0o600 });
  writeFileSync(keyPath, key.privateKey.reveal(), { mode: 0o600 });
  writeFileSync(configPath, macs.map((mac) => renderHost(mac, keyPath)).join('\n'));
  return {
    ...{ kind: because === undefined ? 'real-bash' : 'step-level', because, macs, keyPath, configPath, passwordsPath },
    close: async () => {
      rmSync(dir, { recursive: true, force: true });
      await close();
    },
  };
};

/** Host keys of simulated Macs are worth no place in anybody's known_hosts. */
const renderHost = ({ name, port }: ServedMac, keyPath: string): string =>
  [
    `Host ${name}`,
    ...['HostName 127.0.0.1', `Port ${port}`, 'User m1', `IdentityFile ${keyPath}`, 'IdentitiesOnly yes'],
    ...['StrictHostKeyChecking no', 'UserKnownHostsFile /dev/null', 'LogLevel ERROR', ''],
  ].join('\n  ');

interface Serving {
  readonly macs: readonly ServedMac[];
  close(): Promise<void>;
}

const drawPassword = (random: Random): Secret<string> => new Secret(Buffer.from(random.bytes(9)).toString('base64url'));

const portAt = ({ port }: ServeMacsOptions, at: number): number => (port === 0 ? 0 : port + at);

const serveBashMacs = async (options: ServeMacsOptions, key: OpenSshKey): Promise<Serving> => {
  const { random, count, scenario } = options;
  const rack = await openMacRack({ parentDir: tmpdir(), node: process.execPath });
  const clock = scaleClock(options.clock, options.speed);
  const undo: (() => Promise<void>)[] = [rack.close];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  const serveOne = async (at: number): Promise<ServedMac> => {
    const password = drawPassword(random);
    const install = { password, authorizedKeys: [key.publicKey] };
    const mac = createBashMac({ rack, ids: createIds(random), clock, install });
    undo.push(mac.scrap);
    await mac.power.on();
    if (scenario !== undefined) await stageScenario(mac, scenario);
    const door = await serveBashMac(mac, { port: portAt(options, at) });
    undo.push(door.close);
    return { name: `mac-${at + 1}`, port: door.port, password };
  };
  try {
    const macs: ServedMac[] = [];
    for (let at = 0; at < count; at += 1) macs.push(await serveOne(at));
    return { macs, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const serveStepLevelMacs = async (options: ServeMacsOptions, key: OpenSshKey): Promise<Serving> => {
  const { clock, random, count, scenario, speed } = options;
  if (scenario !== undefined) {
    throw new FleetError('unavailable', {
      code: 'NeedsRealBash',
      message: `the scenario "${scenario.name}" needs Macs with real bash`,
      hint: 'Leave out the scenario, or run where a sandbox can be made.',
    });
  }
  const fleetKey = key.privateKey;
  const cloud = createSimCloud({ clock, random: random.stream('cloud') });
  const startAgent = () => () => undefined;
  const simulated = createSimMacs({
    ...{ cloud, clock, random: random.stream('macs'), fleetKey, startAgent, timeScale: 1 / speed },
  });
  const doors: SshDoor[] = [];
  const macs: ServedMac[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id, address, password } = cloud.addServer({ name: `mac-${at + 1}` });
    const mac = simulated.mac(id);
    const door = await serveMac({ hosts: simulated.hosts, mac, address, fleetKey, port: portAt(options, at) });
    doors.push(door);
    macs.push({ name: `mac-${at + 1}`, port: door.port, password });
  }
  return {
    macs,
    close: async () => {
      await Promise.all(doors.map((door) => door.close()));
      simulated.stop();
      cloud.stop();
    },
  };
};
