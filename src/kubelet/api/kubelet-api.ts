/**
 * What the agent answers to the API server and to whoever scrapes it, under the paths of a kubelet. A plain function, so that it is
 * served over HTTPS (https-server.ts) and asked in process alike. Who asks was checked before (access.ts).
 */
import type { Clock } from '../../base/clock.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { answerLogs, type LogParts } from './answer-logs.ts';
import { type ApiRequest, type ApiResponse, json, text } from './api-message.ts';

export interface KubeletApiParts {
  readonly clock: Clock;
  /** Of this Node. */
  readonly pods: () => readonly Pod[];
  readonly logs: LogParts;
  /** Text for Prometheus. */
  readonly metrics: () => Promise<string>;
  readonly resourceMetrics: (signal: AbortSignal) => Promise<string>;
  readonly summary: (signal: AbortSignal) => Promise<unknown>;
}

export type KubeletApi = (request: ApiRequest) => Promise<ApiResponse>;

/** What a VM cannot do yet, by the first part of the path. */
const NOT_YET: ReadonlyMap<string, string> = new Map([
  ['exec', 'commands cannot be run in a VM through the API yet; on the Mac, tart exec can'],
  ['run', 'commands cannot be run in a VM through the API yet; on the Mac, tart exec can'],
  ['attach', 'nobody can be attached to a VM; kubectl logs -f shows what it prints'],
  ['portForward', 'ports of a VM cannot be forwarded through the API yet'],
  ['checkpoint', 'a VM cannot be checkpointed'],
]);

export const createKubeletApi =
  (parts: KubeletApiParts): KubeletApi =>
  async (request) => {
    const { pathname, query } = request;
    const words = pathname.split('/').slice(1);
    const [first = ''] = words;
    const notYet = NOT_YET.get(first);
    if (notYet !== undefined) return text(501, notYet);
    if (request.method !== 'GET') return text(405, 'only GET is answered here');
    try {
      if (first === 'containerLogs') return await answerLogs(parts, { words, query, signal: request.signal });
      return await answerPage(parts, pathname, request.signal);
    } catch (thrown) {
      if (isKind(thrown, 'invalid')) return text(400, toFleetError(thrown).message);
      throw thrown;
    }
  };

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';

const answerPage = async (parts: KubeletApiParts, pathname: string, signal: AbortSignal): Promise<ApiResponse> => {
  switch (pathname) {
    case '/healthz':
    case '/healthz/ping':
      return text(200, 'ok');
    case '/pods':
    case '/pods/':
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: parts.pods() });
    case '/runningpods/':
      return json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: parts.pods().filter(isRunning) });
    case '/metrics':
      return { status: 200, contentType: PROMETHEUS, body: await parts.metrics() };
    case '/metrics/resource':
      return { status: 200, contentType: PROMETHEUS, body: await parts.resourceMetrics(signal) };
    case '/stats/summary':
      return json(await parts.summary(signal));
    default:
      return text(404, 'no such page');
  }
};

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';
