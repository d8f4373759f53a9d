/** A Linux Node in this process on which Pods of our image run as containers do: each in a sandbox, under its own ServiceAccount. */
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '../../src/base/clock.ts';
import { toFleetError } from '../../src/base/errors.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { NODE_GROUP, nodeUserOf } from '../../src/kube/node/node-certificate.ts';
import { runNodeAgent } from '../../src/sim/node/node-agent.ts';
import { readBaseHere } from '../../tools/build-image/base.ts';
import type { Cluster } from '../cluster/bench/cluster.ts';
import { createLocalProcesses } from '../cluster/cluster-api/local-processes.ts';
import { writeImageRoot } from './container.ts';
import { planContainer } from './plan-container.ts';

export interface ImageNode {
  /** Where the files of the image are. */
  readonly root: string;
  /** Where there is a file with what each container said. */
  readonly logs: string;
  /** What the Pods said whose names begin so, oldest first. */
  logOf(pods: string): string;
  close(): Promise<void>;
}

const LABELS = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } as const;

/** What runs here are our programs: where Debian has replaced a pinned library, that of this machine does. test/hosts/image.test.ts is about the image. */
const writeProgramsRoot = async (root: string): Promise<void> => {
  try {
    await writeImageRoot(root);
  } catch (thrown) {
    if (toFleetError(thrown).code !== 'BasePackageUnobtainable') throw thrown;
    await writeImageRoot(root, readBaseHere);
  }
};

export const openImageNode = async (
  cluster: Cluster,
  { name, repository }: { readonly name: string; readonly repository: string },
): Promise<ImageNode> => {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const dir = join(cluster.dir, name);
  const [root, volumes, logs] = [join(dir, 'root'), join(dir, 'volumes'), join(dir, 'logs')];
  for (const folder of [root, volumes, logs]) mkdirSync(folder, { recursive: true });
  // Who is not root has to get to its files.
  for (const folder of [cluster.dir, dir]) chmodSync(folder, 0o755);
  await writeProgramsRoot(root);
  const life = new AbortController();
  const identity = await cluster.kubeconfigFor({ name: nodeUserOf(name), groups: [NODE_GROUP] });
  const client = await cluster.client(identity);
  const house = { client, server: cluster.server, root, dir: volumes, repository, signal: life.signal };
  const processes = createLocalProcesses({
    ...{ dir: logs, clock, random, askToEnd },
    plan: (pod, podIp) => planContainer(pod, podIp, house),
  });
  const ended = runNodeAgent(
    {
      ...{ client, clock, random, logger: silentLogger, processes, nodeName: name },
      ...{ providerId: `local://${name}`, labels: LABELS, taints: [] },
      capacity: { cpu: '8', memory: '8Gi', pods: '20' },
    },
    life.signal,
  );
  return {
    ...{ root, logs },
    logOf: (pods) =>
      readdirSync(logs)
        .filter((file) => file.includes(`_${pods}`))
        .map((file) => readFileSync(join(logs, file), 'utf8'))
        .join(''),
    close: async () => {
      life.abort();
      await ended;
      await processes.close();
    },
  };
};

/**
 * What was started is bubblewrap, which ends at once when it is asked to. The first process inside is its youngest child; an older one watches over
 * it for us (tools/processes/guarded.ts).
 */
const askToEnd = (pid: number): void => {
  const inside = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').at(-1);
  process.kill(Number(inside), 'SIGTERM');
};
