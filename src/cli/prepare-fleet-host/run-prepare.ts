/** The work behind `macfleet prepare-fleet-host`: many Macs at once, each on its own, and a word of advice where one stays behind. */
import type { Clock } from '../../base/clock.ts';
import { createSystemClock } from '../../base/clock.ts';
import { type FleetError, toFleetError } from '../../base/errors.ts';
import { createLimiter } from '../../base/limiter.ts';
import type { Secret } from '../../base/secret.ts';
import type { Hosts, StepProgress } from '../../hosts/port.ts';
import { prepareByHand } from '../../hosts/prepare-by-hand.ts';
import { readStepFiles } from '../../hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../../hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../hosts/ssh/ssh-hosts.ts';
import { assertPrivateKey } from '../../hosts/ssh/ssh2-link.ts';
import type { CliIo } from '../io.ts';
import { renderError } from '../render-error.ts';
import { adviseOn, summarise } from './advice.ts';
import { type HostAddress, parseHosts } from './parse-host.ts';
import { collectPasswords, type Passwords } from './passwords.ts';
import { createProgressTable, type HostRow, type ProgressTable } from './progress-table.ts';
import { readSecretFile } from './read-file.ts';

export interface PrepareFlags {
  readonly hosts: readonly string[];
  readonly identity: string;
  readonly user: string;
  readonly passwordFile?: string;
  readonly force: boolean;
}

/** Rejects when a Mac was not prepared; what became of each stands on stdout, and why on stderr. */
export const runPrepare = async (flags: PrepareFlags, io: CliIo): Promise<void> => {
  const hosts = parseHosts(flags.hosts);
  const privateKey = readSecretFile(flags.identity, "the fleet's key");
  assertPrivateKey(privateKey);
  const passwords = await collectPasswords(flags, io);
  const clock = createSystemClock();
  const ssh = createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files: readStepFiles() });
  await prepareAll({ flags, io, hosts, privateKey, passwords, clock, ssh });
};

export interface PrepareAll {
  readonly flags: PrepareFlags;
  readonly io: CliIo;
  readonly hosts: readonly HostAddress[];
  readonly privateKey: Secret<string>;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly ssh: Hosts;
}

const HOSTS_AT_ONCE = 32;

export const prepareAll = async (all: PrepareAll): Promise<void> => {
  const { io, hosts } = all;
  const limiter = createLimiter(HOSTS_AT_ONCE);
  const names = hosts.map(({ text }) => text);
  const shared: Shared = { table: createProgressTable(names, io), hostKeys: new Map() };
  const failures = new Map<string, FleetError>();
  await Promise.all(
    hosts.map((host) =>
      limiter
        .run(() => prepareOne(all, host, shared), io.signal)
        .catch((thrown: unknown) => failures.set(host.text, toFleetError(thrown))),
    ),
  );
  io.stdout(renderHostKeys(shared.hostKeys));
  for (const [host, error] of failures) {
    io.stderr(`\n${host}:\n${renderError(adviseOn(error, all.flags), { detail: 'short' })}`);
  }
  if (failures.size > 0) throw summarise(failures, hosts.length);
  io.stdout(`${names.length === 1 ? 'The Mac is' : `All ${names.length} Macs are`} prepared.\n`);
};

/** Nothing was known of them before: whoever can compare them with what Scaleway's console shows, should. */
const renderHostKeys = (hostKeys: ReadonlyMap<string, string>): string =>
  ['Host keys that were shown:', ...Array.from(hostKeys, ([host, key]) => `  ${host}  ${key}`), '']
    .slice(hostKeys.size === 0 ? -1 : 0)
    .join('\n');

interface Shared {
  readonly table: ProgressTable;
  readonly hostKeys: Map<string, string>;
}

const prepareOne = async (all: PrepareAll, host: HostAddress, { table, hostKeys }: Shared): Promise<void> => {
  const { flags, io, clock, ssh, privateKey, passwords } = all;
  const password = passwords.get(host.text);
  if (password === undefined) return;
  let steps: readonly StepProgress[] = [];
  const show = (state: HostRow['state']): void => table.show(host.text, { state, steps });
  show('connecting');
  try {
    await prepareByHand(
      {
        ...{ hosts: ssh, clock, password, epoch: flags.force ? 'forced' : 'by-hand' },
        owner: 'prepare-fleet-host',
        target: { address: host.address, port: host.port, user: flags.user, privateKey },
        onHostKey: (fingerprint) => hostKeys.set(host.text, fingerprint),
        onProgress: (progress) => {
          steps = progress;
          show('at work');
        },
      },
      io.signal,
    );
    show('prepared');
  } catch (error) {
    show('failed');
    throw error;
  }
};
