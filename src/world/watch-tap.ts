/** The watches that run over the edge of a simulated API: what each was told, and what is done to it on the way. */
import type { ApiRequest, ApiResponse, ByteSink } from '../controlplane/api/http.ts';
import { collectionOf } from '../controlplane/api/kinds/served-kind.ts';
import { parseAttempt, type ResourceAttempt } from '../controlplane/auth/attempt.ts';

/** Who meets a trouble; everybody, and every kind, unless named. */
export interface Whom {
  readonly actor?: string;
  /** Plural of the kind. */
  readonly kind?: string;
}

export type WatchTrouble =
  /** Events come that much later, in order. */
  | { readonly is: 'lag'; readonly lagMs: number }
  /** So many events never come. */
  | { readonly is: 'lose'; readonly events: number }
  /** So many events come twice. */
  | { readonly is: 'repeat'; readonly events: number };

/** Something that a watch was told, as the server sent it: before anything is lost on the way. */
export interface WatchFact {
  readonly is: 'opened' | 'event' | 'bookmark' | 'closed';
  /** Numbers watches from 1. */
  readonly watch: number;
  readonly collection: string;
  /** Whether it is about everything in the collection, or about a part. */
  readonly about: 'all' | 'part';
  /** From which version on; of an event or a bookmark its own. */
  readonly revision: number;
}

export interface WatchTapDeps {
  readonly revision: () => number;
  readonly schedule: (delayMs: number, run: () => void) => void;
  readonly onWatch: ((fact: WatchFact) => void) | undefined;
}

export interface WatchTap {
  /** The same answer, over the tap if it is a watch. */
  watch(actor: string, request: ApiRequest, response: ApiResponse): ApiResponse;
  trouble(trouble: WatchTrouble, whom?: Whom): void;
  breakAll(why: string): void;
  /** Their versions are forgotten: 410, and everything has to be listed again. */
  expireAll(): void;
  /** Ends all trouble; what was lost is read again. */
  calm(): void;
}

interface Troubled {
  readonly whom: Whom;
  readonly trouble: WatchTrouble;
  left: number;
}

interface Watch {
  readonly actor: string;
  readonly kind: string;
  readonly sink: ByteSink;
  /** Events that wait for their time, in order. */
  readonly waiting: Uint8Array[];
  /** The server's end. */
  stop: () => void;
}

export const createWatchTap = (deps: WatchTapDeps): WatchTap => {
  const room: Room = { troubles: [], open: new Set(), deps };
  let opened = 0;
  const endAll = (end: (watch: Watch) => void): void => {
    for (const watch of [...room.open]) {
      watch.stop();
      end(watch);
    }
  };
  const expireAll = (): void =>
    endAll(({ sink }) => {
      sink.push(renderLine('ERROR', EXPIRED));
      sink.end();
    });
  return {
    watch: (actor, request, response) => {
      const { body } = response;
      const attempt = parseAttempt(request);
      if (typeof body === 'string' || attempt.on === 'path' || attempt.verb !== 'watch') return response;
      return {
        ...response,
        body: (sink) => {
          opened += 1;
          return openWatch(room, { number: opened, attempt, path: request.path }, { actor, sink, body });
        },
      };
    },
    trouble: (trouble, whom = {}) => {
      const left = trouble.is === 'lag' ? Number.POSITIVE_INFINITY : trouble.events;
      room.troubles.push({ whom, trouble, left });
    },
    breakAll: (why) => endAll(({ sink }) => sink.fail(why)),
    expireAll,
    calm: () => {
      room.troubles.length = 0;
      expireAll();
    },
  };
};

/** What all watches of one API share. */
interface Room {
  readonly troubles: Troubled[];
  readonly open: Set<Watch>;
  readonly deps: WatchTapDeps;
}

interface Ends {
  readonly actor: string;
  /** The client's. */
  readonly sink: ByteSink;
  /** The server's. */
  readonly body: Exclude<ApiResponse['body'], string>;
}

const openWatch = (room: Room, asked: Numbered, { actor, sink, body }: Ends): (() => void) => {
  const { onWatch, revision } = room.deps;
  const tell = createTell(asked, onWatch);
  const from = versionAsked(asked.path);
  tell('opened', from ?? revision());
  const watch: Watch = { actor, kind: asked.attempt.resource, sink, waiting: [], stop: () => undefined };
  room.open.add(watch);
  const close = (): void => {
    if (room.open.delete(watch)) tell('closed', 0);
  };
  const stopServer = body({
    push: (chunk) => {
      if (onWatch !== undefined) hear(chunk, tell);
      pass(room, watch, chunk);
    },
    end: () => {
      close();
      sink.end();
    },
    fail: (why) => {
      close();
      sink.fail(why);
    },
  });
  watch.stop = () => {
    close();
    stopServer();
  };
  // From a version that is yet to come: every server says soon how far it is, the pace of this world hardly ever.
  if ((from ?? 0) > revision()) sink.push(renderBookmark(revision()));
  return watch.stop;
};

/** On its way to the client, where something may happen to it. */
const pass = ({ troubles, open, deps }: Room, watch: Watch, chunk: Uint8Array): void => {
  const met = troubles.find(({ whom, left }) => left > 0 && isMeant(whom, watch));
  const lagMs = met?.trouble.is === 'lag' ? met.trouble.lagMs : 0;
  if (lagMs > 0 || watch.waiting.length > 0) {
    watch.waiting.push(chunk);
    deps.schedule(lagMs, () => {
      const next = watch.waiting.shift();
      if (next !== undefined && open.has(watch)) watch.sink.push(next);
    });
    return;
  }
  if (met !== undefined) met.left -= 1;
  if (met?.trouble.is !== 'lose') watch.sink.push(chunk);
  if (met?.trouble.is === 'repeat') watch.sink.push(chunk);
};

const isMeant = ({ actor, kind }: Whom, watch: Watch): boolean =>
  (actor ?? watch.actor) === watch.actor && (kind ?? watch.kind) === watch.kind;

const EXPIRED = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

const renderLine = (type: string, object: object): Uint8Array => Buffer.from(`${JSON.stringify({ type, object })}\n`);

const renderBookmark = (revision: number): Uint8Array =>
  renderLine('BOOKMARK', { metadata: { resourceVersion: String(revision) } });

/** Undefined: everything there is comes first. */
const versionAsked = (path: string): number | undefined => {
  const [, version = '0'] = /[?&]resourceVersion=(\d+)/.exec(path) ?? [];
  return version === '0' ? undefined : Number(version);
};

type Tell = (is: WatchFact['is'], revision: number) => void;

interface Numbered {
  readonly number: number;
  readonly attempt: ResourceAttempt;
  readonly path: string;
}

const createTell = ({ number, attempt, path }: Numbered, onWatch: WatchTapDeps['onWatch']): Tell => {
  const { group, resource, namespace, name } = attempt;
  const isPart = namespace !== '' || name !== '' || /[?&](label|field)Selector=/.test(path);
  const collection = collectionOf({ group, plural: resource });
  // Who asks for no version gets what is there first, under versions of the past.
  const about = isPart || versionAsked(path) === undefined ? 'part' : 'all';
  return (is, revision) => onWatch?.({ is, watch: number, collection, about, revision });
};

const [OBJECT, VERSION, QUOTE] = ['"metadata":', '"resourceVersion":"', '"'];

/** Reads the version out of the bytes: parsing every event of every watch would cost more than all the rest. */
const hear = (chunk: Uint8Array, tell: Tell): void => {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const from = text.indexOf(VERSION, text.indexOf(OBJECT)) + VERSION.length;
  const revision = Number(text.toString('latin1', from, text.indexOf(QUOTE, from)));
  if (text.indexOf('{"type":"ERROR"') === 0) return;
  tell(text.indexOf('{"type":"BOOKMARK"') === 0 ? 'bookmark' : 'event', revision);
};
