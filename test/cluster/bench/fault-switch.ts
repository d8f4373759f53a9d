/** Which fault is on, whom it hits, and what is remembered for it. No I/O. */
import type { IncomingHttpHeaders } from 'node:http';

export type RequestKind = 'watch' | 'list' | 'get' | 'write';

export type Fault = { readonly on?: readonly RequestKind[]; readonly times?: number } & (
  | { readonly what: 'delay'; readonly ms: number }
  /** At once, or after so many bytes of the answer. */
  | { readonly what: 'reset'; readonly afterBytes?: number }
  | { readonly what: 'answer'; readonly status: 410 | 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** The connection stays open and nothing comes; of watches unless said otherwise. */
  | { readonly what: 'frozen' }
  /** A list that was answered before is answered the same way again; one that was not goes through. */
  | { readonly what: 'stale-list' }
);

export interface RunningFault {
  readonly kind: RequestKind;
  /** What was on when the request came. */
  readonly fault: Fault | undefined;
  readonly reset: () => void;
}

export interface OpenStream {
  isFrozen(): boolean;
  /** How many of the next bytes may pass. */
  allow(bytes: number): number;
  reset(): void;
  close(): void;
}

export interface FaultSwitch {
  set(fault: Fault): void;
  clear(): void;
  readonly hits: number;
  /** The fault that this request meets, if any; counts it. */
  take(kind: RequestKind, url: string): Fault | undefined;
  /** A request under way, so that a later `set` can reach it. */
  open(running: RunningFault): OpenStream;
  /** Takes an answer's pieces for replaying. */
  record(url: string, headers: IncomingHttpHeaders): (chunk: Buffer | 'end') => void;
  /** The answer that the present fault gives to this list. */
  recorded(url: string): RecordedAnswer | undefined;
}

export interface RecordedAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const DEFAULT_ON: Readonly<Record<Fault['what'], readonly RequestKind[]>> = {
  delay: ['watch', 'list', 'get', 'write'],
  reset: ['watch', 'list', 'get', 'write'],
  answer: ['watch', 'list', 'get', 'write'],
  frozen: ['watch'],
  'stale-list': ['list'],
};

export const kindOf = (method: string, url: string): RequestKind => {
  if (method !== 'GET') return 'write';
  const { pathname, searchParams } = new URL(url, 'https://api');
  if (['1', 'true'].includes(searchParams.get('watch') ?? '')) return 'watch';
  return isCollection(pathname) ? 'list' : 'get';
};

/** `/api/v1/[namespaces/<ns>/]<plural>` or `/apis/<group>/<version>/…`. */
const isCollection = (pathname: string): boolean => {
  const [, root, ...rest] = pathname.split('/');
  const path = rest.slice(root === 'api' ? 1 : 2);
  if (root !== 'api' && root !== 'apis') return false;
  return path.length === 1 || (path.length === 3 && path[0] === 'namespaces');
};

export const createFaultSwitch = (): FaultSwitch => {
  let present: Fault | undefined;
  let hits = 0;
  const streams = new Map<OpenStream, { readonly kind: RequestKind; readonly strike: (fault: Fault) => void }>();
  const answers = new Map<string, RecordedAnswer>();
  /** As they were when the fault was set: lists answered since do not count. */
  let stale: ReadonlyMap<string, RecordedAnswer> = new Map();

  const meets = (fault: Fault, kind: RequestKind): boolean => (fault.on ?? DEFAULT_ON[fault.what]).includes(kind);
  const set = (fault: Fault): void => {
    present = fault;
    hits = 0;
    stale = new Map(answers);
    for (const { kind, strike } of [...streams.values()]) if (meets(fault, kind)) strike(fault);
  };
  const take = (kind: RequestKind, url: string): Fault | undefined => {
    if (present === undefined || !meets(present, kind)) return undefined;
    if (hits >= (present.times ?? Number.POSITIVE_INFINITY)) return undefined;
    if (present.what === 'stale-list' && !stale.has(listKey(url))) return undefined;
    hits += 1;
    return present;
  };
  const open = (running: RunningFault): OpenStream => {
    const struck = createStream(running);
    const stream = { ...struck, close: () => streams.delete(stream) };
    streams.set(stream, { kind: running.kind, strike: struck.strike });
    return stream;
  };
  const record = (url: string, headers: IncomingHttpHeaders) => {
    const chunks: Buffer[] = [];
    return (chunk: Buffer | 'end'): void => {
      if (chunk !== 'end') chunks.push(chunk);
      else answers.set(listKey(url), { headers, body: Buffer.concat(chunks) });
    };
  };
  return {
    set,
    take,
    open,
    record,
    clear: () => {
      present = undefined;
    },
    get hits() {
      return hits;
    },
    recorded: (url) => stale.get(listKey(url)),
  };
};

/** One answer under way, and how a fault that is set meanwhile strikes it. */
const createStream = ({ fault, reset }: RunningFault) => {
  let isFrozen = fault?.what === 'frozen';
  let leftBytes = fault?.what === 'reset' ? (fault.afterBytes ?? 0) : Number.POSITIVE_INFINITY;
  return {
    reset,
    isFrozen: () => isFrozen,
    allow: (bytes: number): number => {
      const allowed = Math.min(bytes, leftBytes);
      leftBytes -= allowed;
      return allowed;
    },
    strike: (later: Fault): void => {
      if (later.what === 'frozen') isFrozen = true;
      if (later.what === 'reset' && later.afterBytes === undefined) reset();
      if (later.what === 'reset' && later.afterBytes !== undefined) leftBytes = later.afterBytes;
    },
  };
};

/** The same list whatever version it is asked at. */
const listKey = (url: string): string => {
  const { pathname, searchParams } = new URL(url, 'https://api');
  searchParams.delete('resourceVersion');
  searchParams.delete('resourceVersionMatch');
  searchParams.sort();
  return `${pathname}?${searchParams}`;
};
