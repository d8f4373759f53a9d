/**
 * What lies between the clients of a simulated cluster and its API server: the place where answers are refused, lists are
 * old, and watches lag, stall, lose and repeat events, for one client or for all. It also tells what went over it.
 */
import { FleetError } from '../base/errors.ts';
import type { ApiRequest, ApiResponse } from '../controlplane/api/http.ts';
import { ApiRefusal, replyRefusal } from '../controlplane/api/refusal.ts';
import { parseAttempt, type ResourceAttempt } from '../controlplane/auth/attempt.ts';
import { ADMIN } from '../controlplane/auth/user.ts';
import { createWatchTap, type WatchFact, type WatchTap, type Whom } from './watch-tap.ts';

export type Handle = (request: ApiRequest) => ApiResponse;

export const REFUSALS = {
  conflict: () =>
    new ApiRefusal('Conflict', 'the object has been modified; please apply your changes to the latest version'),
  throttled: () => new ApiRefusal('TooManyRequests', 'too many requests, please try again later'),
  broken: () => new ApiRefusal('InternalError', 'etcdserver: leader changed'),
  denied: () => new ApiRefusal('Forbidden', 'admission webhook "policy.example.com" denied the request: not today'),
} as const;

export type Refusal = keyof typeof REFUSALS;

export interface ApiTrouble {
  /** So many writes are refused before they have an effect. */
  refuseWrites(refusal: Refusal, times: number, whom?: Whom): void;
  /** Nobody gets an answer any more, until it is back. */
  goAway(): void;
  comeBack(): void;
  readonly watches: Pick<WatchTap, 'trouble' | 'breakAll' | 'expireAll'>;
  /** Lists that ask for any version (`resourceVersion=0`) show what is there now, for ever. */
  freezeCachedLists(): void;
  /** Ends everything of this; what was lost on the way is read again. */
  end(): void;
}

/** A write that was meant for one version of an object and met another. */
export interface StaleWrite {
  readonly what: string;
  readonly meant: string;
  readonly met: string;
  readonly code: number;
}

export interface EdgeObserver {
  readonly onWatch?: (fact: WatchFact) => void;
  readonly onStaleWrite?: (write: StaleWrite) => void;
  /** A write took effect, on an object of this kind. */
  readonly onWrite?: (kind: string) => void;
}

export interface EdgeDeps {
  readonly handle: Handle;
  /** The resource version of an object as it is kept, if it is. */
  readonly versionOf: (attempt: ResourceAttempt) => string | undefined;
  readonly revision: () => number;
  readonly schedule: (delayMs: number, run: () => void) => void;
  readonly observer: EdgeObserver;
}

export interface ApiEdge {
  handleFor(actor: string): Handle;
  readonly trouble: ApiTrouble;
}

interface Refusing {
  readonly refusal: Refusal;
  readonly whom: Whom;
  left: number;
}

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

export const createApiEdge = (deps: EdgeDeps): ApiEdge => {
  const refusing: Refusing[] = [];
  const frozen = new Map<string, ApiResponse>();
  const listed = new Set<string>();
  const tap = createWatchTap({ ...deps, onWatch: deps.observer.onWatch });
  let isAway = false;
  const takeRefusal = (actor: string, { resource }: ResourceAttempt): Refusal | undefined => {
    const due = refusing.find(({ whom, left }) => left > 0 && isMeant(whom, actor, resource));
    if (due === undefined) return undefined;
    due.left -= 1;
    return due.refusal;
  };
  const write = (actor: string, request: ApiRequest): ApiResponse => {
    const attempt = parseAttempt(request);
    if (attempt.on === 'path') return deps.handle(request);
    const refusal = takeRefusal(actor, attempt);
    if (refusal !== undefined) return replyRefusal(REFUSALS[refusal]());
    const response = judgeWrite(deps, request, attempt);
    if (response.status < 300) deps.observer.onWrite?.(attempt.resource);
    return response;
  };
  const read = (actor: string, request: ApiRequest): ApiResponse => {
    const old = frozen.get(request.path);
    if (old !== undefined) return old;
    const response = deps.handle(request);
    if (typeof response.body !== 'string') return tap.watch(actor, request, response);
    if (isCachedList(request.path)) listed.add(request.path);
    return response;
  };
  return {
    handleFor: (actor) => (request) => {
      if (isAway) throw new FleetError('unavailable', { code: 'ConnectFailed', message: 'the API server is away' });
      return WRITES.includes(request.method) ? write(actor, request) : read(actor, request);
    },
    trouble: {
      refuseWrites: (refusal, left, whom = {}) => void refusing.push({ refusal, left, whom }),
      goAway: () => {
        isAway = true;
        tap.breakAll('the API server is away');
      },
      comeBack: () => {
        isAway = false;
      },
      watches: tap,
      freezeCachedLists: () => {
        for (const path of listed) frozen.set(path, deps.handle({ method: 'GET', path, headers: {}, user: ADMIN }));
      },
      end: () => {
        isAway = false;
        refusing.length = 0;
        frozen.clear();
        tap.calm();
      },
    },
  };
};

const isMeant = ({ actor, kind }: Whom, byActor: string, ofKind: string): boolean =>
  (actor ?? byActor) === byActor && (kind ?? ofKind) === ofKind;

/** The server may answer it from a cache of its own, as old as that is. */
const isCachedList = (path: string): boolean => /[?&]resourceVersion=0(&|$)/.test(path) && !/[?&]watch=/.test(path);

const VERSION = '"resourceVersion"';

/** S37 asks about writes that name a version: what they met is read before them. */
const judgeWrite = (deps: EdgeDeps, request: ApiRequest, attempt: ResourceAttempt): ApiResponse => {
  const { onStaleWrite } = deps.observer;
  const body = typeof request.body === 'string' ? request.body : '';
  if (onStaleWrite === undefined || request.method === 'POST' || !body.includes(VERSION)) return deps.handle(request);
  const met = deps.versionOf(attempt);
  const meant = met !== undefined && namesOnly(body, met) ? met : versionIn(body);
  const response = deps.handle(request);
  if (meant !== undefined && met !== undefined && meant !== met)
    onStaleWrite({ what: `${request.method} ${request.path}`, meant, met, code: response.status });
  return response;
};

/** Whether that is the one version in the text, as in most writes: their bodies need not be read. */
const namesOnly = (body: string, version: string): boolean => {
  const at = body.indexOf(VERSION);
  return body.lastIndexOf(VERSION) === at && body.startsWith(`:"${version}"`, at + VERSION.length);
};

interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly preconditions?: { readonly resourceVersion?: string };
}

/** Of an object or of the options of a deletion; a list of patches names none. */
const versionIn = (body: string): string | undefined => {
  const { metadata, preconditions } = parseVersioned(body);
  return preconditions?.resourceVersion ?? metadata?.resourceVersion;
};

const parseVersioned = (body: string): Versioned => {
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === 'object' && parsed !== null ? (parsed as Versioned) : {};
};
