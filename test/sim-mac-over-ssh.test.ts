/** The SSH adapter against simulated Macs over real SSH: both ends are ours, the port between them is real. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../src/base/abort.ts';
import { createSystemClock } from '../src/base/clock.ts';
import { FleetError } from '../src/base/errors.ts';
import { createSeededRandom } from '../src/base/random.ts';
import { createManualClock } from '../src/base/testing/manual-clock.ts';
import type { Batch, Hosts, HostTarget } from '../src/hosts/port.ts';
import { DEFAULT_SSH_TIMES, openSshConnection } from '../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../src/hosts/ssh/ssh-hosts.ts';
import { waitForHost } from '../src/hosts/ssh/wait-for-host.ts';
import { testHostsContract } from '../src/hosts/testing/hosts-contract.ts';
import { openSshKeyFrom } from '../src/pki/openssh-key.ts';
import { createSimCloud, type SimCloud } from '../src/sim/cloud/sim-cloud.ts';
import type { SimServer } from '../src/sim/cloud/sim-server.ts';
import type { SimMac } from '../src/sim/mac/sim-mac.ts';
import { createSimMacs } from '../src/sim/mac/sim-macs.ts';
import { serveMac } from '../src/sim/mac/ssh-server.ts';

const fleetKey = openSshKeyFrom(Buffer.alloc(32, 1)).privateKey;
const foreignKey = openSshKeyFrom(Buffer.alloc(32, 2)).privateKey;
const signal = neverAborted();
const REINSTALL_MS = 900_000;
/** Nobody listens there, on a machine that nobody set up for it. */
const CLOSED_PORT = 1;

interface World {
  readonly hosts: Hosts;
  readonly target: HostTarget;
  readonly mac: SimMac;
  readonly server: SimServer;
  readonly cloud: SimCloud;
  advance(ms: number): void;
}

const inWorld = async (body: (world: World) => Promise<void>): Promise<void> => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const startAgent = (): (() => void) => () => undefined;
  const macs = createSimMacs({ cloud, clock, fleetKey, random: createSeededRandom(4), startAgent, timeScale: 0 });
  const mac = macs.mac(server.id);
  const ssh = await serveMac({ hosts: macs.hosts, mac, address: server.address, fleetKey });
  const times = { clock: createSystemClock(), ...DEFAULT_SSH_TIMES };
  const hosts = createSshHosts({ ...times, files: { lib: '', driver: 'exit 0', steps: {} } });
  const target = { address: '127.0.0.1', port: ssh.port, user: 'm1', privateKey: fleetKey, pinnedHostKey: undefined };
  const sessions: { close(): Promise<void> }[] = [];
  const tracked: Hosts = {
    open: async (...args) => {
      const session = await hosts.open(...args);
      sessions.push(session);
      return session;
    },
  };
  try {
    await body({ hosts: tracked, target, mac, server, cloud, advance: clock.advance });
  } finally {
    await Promise.all(sessions.map((session) => session.close()));
    await ssh.close();
    macs.stop();
  }
};

testHostsContract('the SSH adapter against simulated Macs', (body) =>
  inWorld(({ hosts, target, mac, server }) =>
    body({
      ...{ hosts, target, foreignKey, sudoPassword: server.password, nowhere: { port: CLOSED_PORT } },
      breakNextCheck: (step, kind) => mac.addStepFault({ step, kind, phase: 'check', times: 1 }),
    }),
  ),
);

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? error.code : String(error);
  }
};

const batch: Batch = {
  ...{ epoch: 1, timeoutMs: 60_000 },
  calls: [{ step: 'stop-agent', do: 'check', inputs: {}, secrets: {}, digest: '' }],
};

test('a reinstalled Mac shows another key', () =>
  inWorld(async ({ hosts, target, cloud, server, advance }) => {
    const { hostKey } = await hosts.open(target, signal);
    cloud.as('operator').reinstall(server);
    advance(REINSTALL_MS);
    assert.equal(await codeOf(hosts.open({ ...target, pinnedHostKey: hostKey }, signal)), 'HostKeyChanged');
    assert.notEqual((await hosts.open(target, signal)).hostKey, hostKey);
  }));

test('after a reboot the session is lost, and waiting gives another once the Mac is up', () =>
  inWorld(async ({ hosts, target, cloud, server, advance }) => {
    const { hostKey } = await hosts.open(target, signal);
    const pinned = { ...target, pinnedHostKey: hostKey };
    const session = await hosts.open(pinned, signal);
    cloud.as('operator').reboot(server);
    assert.equal(await codeOf(session.run(batch, signal)), 'HostConnectionLost');
    const clock = createManualClock();
    const back = waitForHost({ hosts, target: pinned, clock, everyMs: 5_000 }, signal);
    assert.equal(await codeOf(hosts.open(pinned, signal)), 'HostUnreachable');
    advance(REINSTALL_MS);
    while (clock.timers === 0) await codeOf(hosts.open(pinned, signal));
    clock.advance(5_000);
    const { steps } = await (await back).run(batch, signal);
    assert.deepEqual(steps[0]?.phases, [{ phase: 'check', exitCode: 0 }]);
  }));

test('a command that is neither steps nor an upload is refused by a step-level Mac', () =>
  inWorld(async ({ target }) => {
    const connection = await openSshConnection(target, { clock: createSystemClock(), ...DEFAULT_SSH_TIMES }, signal);
    const command = { argv: ['/bin/ls'], timeoutMs: 10_000, doing: 'looking' };
    assert.equal((await connection.run(command, signal)).exitCode, 127);
    await connection.close();
  }));
