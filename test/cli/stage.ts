/** One embedded control plane, with our kinds and rights, and `./macfleet` as a child process on it, as a user has it. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, createSystemClock } from '../../src/base/clock.ts';
import { createLogger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { ADMIN, type User } from '../../src/controlplane/auth/user.ts';
import { type ServedControlPlane, serveControlPlane } from '../../src/controlplane/serve-control-plane.ts';
import { ALL_KINDS } from '../../src/kinds/all-kinds.ts';
import { toCustomResourceDefinition } from '../../src/kinds/schema/crd.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/kube/types/extensions.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import { POLICIES, renderRights } from '../../src/world/identities.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', 'macfleet');
/** What was deleted on this server was so an hour ago, as the command line sees it. */
const BEHIND_MS = 3_600_000;
const TIMEOUT_MS = 60_000;

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliStage {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly plane: ServedControlPlane;
  readonly client: KubeClient;
  /** Writes a kubeconfig for this user, and gives its path. */
  kubeconfigFor(user: User): string;
  write(name: string, text: string): string;
  /** `./macfleet <args>` with this kubeconfig, unless `env` or a flag says otherwise. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Ended>;
  /** `./macfleet <args> | head -<lines>`, until both have ended, with the exit code of the first. */
  runBeforeHead(lines: number, args: string): Promise<Ended>;
  /** All that `./macfleet <args>` shows in a terminal so wide. */
  runInTerminal(columns: number, args: string): Promise<string>;
  close(): Promise<void>;
}

/** Of util-linux: gives a program a terminal. */
const PTY = 'script';
export const IS_TERMINAL_POSSIBLE = spawnSync(PTY, ['--help'], { stdio: 'ignore' }).error === undefined;

const behind = (clock: Clock): Clock => ({ ...clock, now: () => clock.now() - BEHIND_MS });

export const openCliStage = async (): Promise<CliStage> => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-cli-'));
  const clock = behind(createSystemClock());
  const logger = createLogger({ clock, level: 'error', destination: { write: () => undefined } });
  const plane = await serveControlPlane({ clock, random: createSystemRandom(), logger, port: 0 });
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const kubeconfig = write('kubeconfig', plane.kubeconfig.reveal());
  return {
    ...{ folder, kubeconfig, plane, write, client: plane.clientFor(ADMIN) },
    kubeconfigFor: (user) => write(`kubeconfig-${user.name}`, plane.kubeconfigFor(user).reveal()),
    run: (args, env = {}, input = '') => runMacfleet(args, { KUBECONFIG: kubeconfig, HOME: folder, ...env }, input),
    runBeforeHead: async (lines, args) => {
      const line = `{ '${LAUNCHER}' ${args}; echo "ended with $?" >&2; } | head -${lines}`;
      const env = { ...process.env, KUBECONFIG: kubeconfig };
      const { stdout, stderr } = await promisify(execFile)('sh', ['-c', line], { env, timeout: TIMEOUT_MS });
      const [, said = '', exitCode = '-1'] = /^([\s\S]*)ended with (\d+)\n$/.exec(stderr) ?? [];
      return { exitCode: Number(exitCode), stdout, stderr: said };
    },
    runInTerminal: async (columns, args) => {
      const line = `stty cols ${columns} rows 50; exec '${LAUNCHER}' ${args}`;
      const env = { ...process.env, KUBECONFIG: kubeconfig };
      return (await promisify(execFile)(PTY, ['-qefc', line, '/dev/null'], { env, timeout: TIMEOUT_MS })).stdout;
    },
    close: async () => {
      await plane.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** As a user starts it, in an environment that has nothing but PATH and what is given. */
export const runMacfleet = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
): Promise<Ended> =>
  new Promise((resolve) => {
    const { PATH = '' } = process.env;
    const child = execFile(LAUNCHER, args, { env: { PATH, ...env }, timeout: TIMEOUT_MS }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end(input);
  });

/** Our kinds, policies and rights, as an installation brings them. */
export const install = async (client: KubeClient, signal: AbortSignal): Promise<void> => {
  const create = (resource: Resource<KubeObject>, object: KubeObject) => client.create(resource, object, { signal });
  for (const kind of ALL_KINDS) await create(CUSTOM_RESOURCE_DEFINITIONS, toCustomResourceDefinition(kind));
  await create(NAMESPACES, { metadata: { name: 'tuist' } });
  // No controllers run here, which would make it.
  await create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'tuist' } });
  for (const { resource, object } of [...renderRights('default'), ...POLICIES]) await create(resource, object);
};
