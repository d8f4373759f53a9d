/** A simulated dispatcher without a cluster on a clock that stands still, and whoever calls it. */
import { isRecord } from '../../../base/json.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import type { ClusterView } from '../cluster-view.ts';
import { GITHUB_PATHS } from '../github-routes.ts';
import { CONTROLLER_TOKEN, createNoCluster } from '../no-cluster.ts';
import { DISPATCH_PATH, SCALING_PATH, SESSIONS_PATH } from '../routes.ts';
import { createSimDispatch, type SimDispatchOptions } from '../sim-dispatch.ts';

export const CONTROLLER = { namespace: 'tuist-runners', name: 'runners-controller' };
export const POOL = 'ci';

export interface StageAnswer {
  /** 0: the connection broke. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type DispatchStage = ReturnType<typeof createDispatchStage>;

export const uidOf = (pod: string): string => `uid-of-${pod}`;

export const createDispatchStage = (options: Partial<SimDispatchOptions> = {}, view?: Partial<ClusterView>) => {
  const clock = createManualClock();
  const dispatch = createSimDispatch({
    ...{ clock, random: createSeededRandom(1), controller: CONTROLLER },
    ...{ ...options, view: { ...createNoCluster(CONTROLLER), ...view } },
  });
  const send = async (
    method: string,
    target: string,
    { token = '', caller = 'tester', body = {} },
  ): Promise<StageAnswer> => {
    const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
    const text = method === 'GET' ? '' : JSON.stringify(body);
    const answer = await dispatch.serve({ method, target, headers, body: text, caller });
    if (answer === undefined) return { status: 0, headers: {}, text: '', body: {} };
    return { status: answer.status, headers: answer.headers, text: answer.body, body: parseBody(answer.body) };
  };
  const asController = { token: CONTROLLER_TOKEN };
  return {
    ...{ clock, dispatch, send },
    poll: (pod: string, pool = POOL) => send('POST', DISPATCH_PATH, { token: `runner:${pool}/${pod}`, caller: pod }),
    signals: (pool = POOL) => send('GET', `${SCALING_PATH}?fleet=${pool}`, asController),
    stop: (pod: string, endedAt = new Date(clock.now()).toISOString()) =>
      send('POST', `${SESSIONS_PATH}/pods/stopped`, { ...asController, body: { pod_name: pod, ended_at: endedAt } }),
    drain: (pod: string) =>
      send('POST', `${SESSIONS_PATH}/pods/${pod}/drain`, { ...asController, body: { pod_uid: uidOf(pod) } }),
    look: (pod: string) => send('GET', `${SESSIONS_PATH}/pods/${pod}?uid=${uidOf(pod)}`, asController),
    github: (step: keyof typeof GITHUB_PATHS, pod: string, { body }: Pick<StageAnswer, 'body'>, exitCode = 0) =>
      send('POST', GITHUB_PATHS[step], { caller: pod, body: { ...body, exit_code: exitCode } }),
    events: () => dispatch.record().map(({ event }) => event),
  };
};

const parseBody = (text: string): Readonly<Record<string, unknown>> => {
  if (!text.startsWith('{')) return {};
  const body: unknown = JSON.parse(text);
  return isRecord(body) ? body : {};
};
