/**
 * What a Node's agent answers to the API server: the logs of its Pods, under the paths of a kubelet. A plain function, so that it
 * is served over HTTPS (node-server.ts) and in process alike. Who asks was checked before.
 */
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { ByteSink } from '../kernel/pipe.ts';
import type { SimResponse } from '../kernel/sim-transport.ts';
import {
  type LogLine,
  type LogOptions,
  type PodLog,
  readLogOf,
  readLogOptions,
  renderLines,
  selectLines,
} from './pod-log.ts';

export type NodeApi = (request: { readonly method: string; readonly path: string }) => SimResponse;

/** What the containers of a Pod printed; rejects what is no container of it. */
export type ReadLog = (pod: Pod, container: string, nowMs: number) => PodLog;

export interface NodeApiParts {
  readonly pods: Cache<Pod>;
  readonly clock: Clock;
  /** Of Pods that are no scripts. */
  readonly readLog?: ReadLog;
}

export const createNodeApi =
  (parts: NodeApiParts): NodeApi =>
  ({ method, path }) => {
    const { pathname, searchParams } = new URL(path, 'https://node');
    if (method !== 'GET') return text(405, 'only GET is answered here');
    if (pathname === '/healthz') return text(200, 'ok');
    const [root, namespace, name, container, ...rest] = pathname.split('/').slice(1).map(decodeURIComponent);
    if (root !== 'containerLogs' || container === undefined || rest.length > 0) return text(404, 'no such page');
    const key = `${namespace}/${name}`;
    if (parts.pods.get(key) === undefined) return text(404, `pod "${name}" is not here`);
    try {
      return answerLog(parts, { key, container }, readLogOptions(searchParams, parts.clock.now()));
    } catch (thrown) {
      if (thrown instanceof FleetError && thrown.kind === 'invalid') return text(400, thrown.message);
      throw thrown;
    }
  };

const text = (status: number, body: string): SimResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: `${body}\n`,
});

interface Wanted {
  readonly key: string;
  readonly container: string;
}

const answerLog = (parts: NodeApiParts, wanted: Wanted, options: LogOptions): SimResponse => {
  const { lines, moreAtMs } = look(parts, wanted);
  const shown = renderLines(selectLines(lines, options), options);
  const headers = { 'content-type': 'text/plain' };
  if (!options.follow || moreAtMs === undefined) return { status: 200, headers, body: cut(shown, options.limitBytes) };
  const last = lines.at(-1);
  return { status: 200, headers, body: (sink) => follow(parts, { ...wanted, options, shown, last }, sink) };
};

const cut = (shown: string, limitBytes: number | undefined): string =>
  limitBytes === undefined ? shown : Buffer.from(shown).subarray(0, limitBytes).toString();

const look = ({ pods, clock, readLog = readLogOf }: NodeApiParts, { key, container }: Wanted): PodLog => {
  const pod = pods.get(key);
  // It was here a moment ago, and what it printed was told.
  return pod === undefined ? { lines: [], moreAtMs: undefined } : readLog(pod, container, clock.now());
};

interface Following extends Wanted {
  readonly options: LogOptions;
  /** What is told already. */
  readonly shown: string;
  readonly last: LogLine | undefined;
}

/** Tells what is new when its time comes or the Pod changes, until the container has ended or the bytes are used up. */
const follow = (parts: NodeApiParts, { options, shown, last, ...wanted }: Following, sink: ByteSink): (() => void) => {
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let told = last;
  let cancel = (): void => undefined;
  let unsubscribe = (): void => undefined;
  const stop = (): void => {
    cancel();
    unsubscribe();
  };
  const tell = (words: string): void => {
    const bytes = Buffer.from(words).subarray(0, leftBytes);
    leftBytes -= bytes.length;
    if (bytes.length > 0) sink.push(bytes);
  };
  const next = (): void => {
    cancel();
    const { lines, moreAtMs } = look(parts, wanted);
    const fresh = findFresh(lines, told, moreAtMs === undefined ? 'over' : 'going on');
    told = fresh.at(-1) ?? told;
    tell(renderLines(fresh, options));
    if (moreAtMs !== undefined && leftBytes > 0) {
      cancel = parts.clock.schedule(Math.max(1, moreAtMs - parts.clock.now()), next);
      return;
    }
    stop();
    sink.end();
  };
  tell(shown);
  let isFirst = true;
  unsubscribe = parts.pods.subscribe(() => {
    if (!isFirst) next();
  });
  isFirst = false;
  next();
  return stop;
};

/** Statuses know only seconds: the end may have the time of a line that was told before it. */
const findFresh = (
  lines: readonly LogLine[],
  told: LogLine | undefined,
  state: 'over' | 'going on',
): readonly LogLine[] => {
  const isNew = (line: LogLine, at: number): boolean =>
    told === undefined ||
    line.atMs > told.atMs ||
    (state === 'over' && at === lines.length - 1 && line.text !== told.text);
  return lines.filter(isNew);
};
