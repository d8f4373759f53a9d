/** The server that has the jobs of runners, as a release is told of it: simulated, over HTTP, with the rights that the original's server has. */
import { createSystemClock } from '../../../src/base/clock.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { apiVersionOf } from '../../../src/kube/types/resource.ts';
import { createKubeView } from '../../../src/sim/dispatch/kube-view.ts';
import { serveDispatch } from '../../../src/sim/dispatch/serve-dispatch.ts';
import { createSimDispatch, type SimDispatch } from '../../../src/sim/dispatch/sim-dispatch.ts';
import { DISPATCH_SERVER, renderDispatchRights } from '../../../src/world/dispatch-rights.ts';
import type { Cluster } from '../bench/cluster.ts';
import { mustKubectl } from '../bench/must-kubectl.ts';
import { eventually } from '../kube/scene.ts';
import { NAMESPACE, RELEASE, RUNNERS_NAMESPACE } from './chart-scene.ts';

export interface ChartJobs {
  /** Settles when a job of the pool was done. */
  runOne(pool: string): Promise<void>;
  /** Values of `server`. */
  readonly url: string;
  close(): Promise<void>;
}

const JOB_MS = 60_000;

export const openChartJobs = async (cluster: Cluster): Promise<ChartJobs> => {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const client = await cluster.client(await cluster.kubeconfigFor({ name: DISPATCH_SERVER.name }));
  const controller = { namespace: NAMESPACE, name: `${RELEASE}-runners-controller` };
  const dispatch = createSimDispatch({ clock, random, controller, view: createKubeView(client) });
  const served = await serveDispatch({ clock, dispatch });
  return {
    url: served.url,
    runOne: (pool) => runOne(cluster, dispatch, pool),
    close: async () => {
      dispatch.stop();
      await served.close();
    },
  };
};

const runOne = async (cluster: Cluster, dispatch: SimDispatch, pool: string): Promise<void> => {
  const rights = renderDispatchRights(RUNNERS_NAMESPACE).map(({ resource, object }) => ({
    ...{ apiVersion: apiVersionOf(resource), kind: resource.kind },
    ...object,
  }));
  const list = { apiVersion: 'v1', kind: 'List', items: rights };
  await mustKubectl(cluster, ['apply', '-f', '-'], JSON.stringify(list));
  const { id } = dispatch.queue({ pool, durationMs: 200 });
  const isDone = () => dispatch.jobs().some((job) => job.id === id && job.state === 'done');
  await eventually('the job is done', isDone, JOB_MS).catch(async (error: unknown) => {
    const { stdout } = await cluster.kubectl(['get', 'rpool,pods,events', '-n', RUNNERS_NAMESPACE, '-o', 'wide']);
    throw new Error(`no runner did a job of ${pool}\n${stdout}\n${JSON.stringify(dispatch.calls())}`, { cause: error });
  });
};
