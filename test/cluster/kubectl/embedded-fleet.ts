/** The fleet of `macfleet up` in this process, as somebody with kubectl meets it: three simulated Macs that are Nodes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { startFleet } from '../../../src/cli/up/start-fleet.ts';
import { MACOS_TAINT } from '../../../src/kinds/labels.ts';
import { renderDemo } from '../../../src/world/demo-fleet.ts';
import { findBinaries } from '../../../tools/cluster/binaries.ts';
import { spawnGuarded } from '../../../tools/processes/guarded.ts';
import type { CommandResult } from '../bench/cluster.ts';
import { runCommand } from '../bench/run-command.ts';
import { eventually } from '../kube/scene.ts';

export interface EmbeddedFleet {
  /** A namespace of its own, gone with the test, and kubectl in it. */
  newcomer(test: TestContext): Promise<Newcomer>;
  /** What a person types into a shell, with kubectl in the namespace of the fleet; what it printed. It must succeed. */
  shell(script: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  stop(): Promise<void>;
}

export interface Newcomer {
  readonly namespace: string;
  /** What kubectl came to, whatever that is. */
  run(command: string, input?: unknown): Promise<CommandResult>;
  /** What kubectl printed; it must succeed. */
  kubectl(command: string, input?: unknown): Promise<string>;
  /** Starts it, and ends it when `meanwhile` has seen enough; what it printed until then. */
  runWhile(command: string, meanwhile: (sees: Sees) => Promise<unknown>): Promise<string>;
}

/** Settles when the output matches. */
type Sees = (expected: RegExp) => Promise<unknown>;

const MACS = 3;
/** Of one block of commands: a wipe is among them. */
const SHELL_MS = 90_000;

export const startEmbeddedFleet = async (): Promise<EmbeddedFleet> => {
  const { dir: binDir } = await findBinaries(process.env, { need: ['kubectl'] });
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const options = { clock, random, logger: silentLogger, macs: MACS, port: 0, speedUp: 100, provider: 'here' } as const;
  const fleet = await startFleet(options, neverAborted());
  const home = mkdtempSync(join(tmpdir(), 'macfleet-kubectl-'));
  const kubeconfig = join(home, 'kubeconfig');
  writeFileSync(kubeconfig, fleet.kubeconfig.reveal(), { mode: 0o600 });
  const { signal } = new AbortController();
  for (const { resource, object } of renderDemo(MACS)) {
    await fleet.client.create(resource, object, { signal });
  }
  const ids = createIds(random);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig };
  const create = (namespace: string): Newcomer => createNewcomer({ path: join(binDir, 'kubectl'), env }, namespace);
  await eventually('all Macs are Nodes', async () => {
    const ready = await create('default').kubectl('get nodes --no-headers');
    return ready.match(/ Ready /g)?.length === MACS;
  });
  return {
    shell: async (script, variables = {}) => {
      const args = ['-euc', script];
      const given = { ...env, ...variables, PATH: `${binDir}:${env.PATH}` };
      const { code, stdout, stderr } = await runCommand({ path: '/bin/bash', env: given, args, timeoutMs: SHELL_MS });
      assert.equal(code, 0, `${script}\n${stderr}`);
      return stdout;
    },
    newcomer: async (test) => {
      const newcomer = create(`t-${ids.suffix(8)}`);
      await newcomer.kubectl(`create namespace ${newcomer.namespace}`);
      // A Mac has room for few Pods.
      test.after(() => newcomer.kubectl(`delete namespace ${newcomer.namespace} --timeout=50s`));
      return newcomer;
    },
    stop: async () => {
      await fleet.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

interface Program {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Words are parted by spaces; what holds a space itself stands in single quotes. */
const toArgs = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([word, quoted]) => quoted ?? word);

const toText = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input));

const createNewcomer = ({ path, env }: Program, namespace: string): Newcomer => {
  const argsOf = (command: string): readonly string[] => ['-n', namespace, ...toArgs(command)];
  const run: Newcomer['run'] = (command, input) =>
    runCommand({ path, env, args: argsOf(command), ...(input !== undefined && { input: toText(input) }) });
  return {
    namespace,
    run,
    kubectl: async (command, input) => {
      const { code, stdout, stderr } = await run(command, input);
      assert.equal(code, 0, `kubectl ${command}: ${stderr}`);
      return stdout;
    },
    runWhile: async (command, meanwhile) => {
      const { child, stop } = spawnGuarded({ path, env, args: argsOf(command), stdin: 'ignore', output: 'pipe' });
      let text = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      try {
        await meanwhile((expected) => eventually(`${command} prints ${expected}`, () => expected.test(text)));
        return text;
      } finally {
        await stop();
      }
    },
  };
};

/** A Pod on any Mac. */
const podSpec = (image = 'vm:1') => ({
  tolerations: [{ key: MACOS_TAINT.key, operator: 'Exists' }],
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', image }],
});

export const renderWeb = (replicas: number, image?: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: podSpec(image) },
  },
});

/** Runs once, for as long as the script says. */
export const renderPod = (name: string, runMs = 100) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations: { 'sim.macfleet.dev/script': JSON.stringify({ startMs: 100, runMs }) } },
  spec: { ...podSpec(), restartPolicy: 'Never' },
});
