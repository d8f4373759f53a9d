/**
 * The control of a simulated cloud, over HTTP on a port of its own: what a person or a test does to the world, and the
 * truth that the API never shows. Pure: one request in, one answer out.
 */
import { z } from 'zod';
import { FleetError, isKind, messageOf } from '../../base/errors.ts';
import type { CallEntry } from './call-log.ts';
import { describeIssues } from './describe-issues.ts';
import { FAULT_STORIES } from './fault-list.ts';
import type { ApiAnswer, ApiRequest } from './serve.ts';
import type { SimCloud } from './sim-cloud.ts';
import type { SimServer } from './sim-server.ts';

export interface ControlDeps {
  readonly cloud: SimCloud;
  /** Writes the state down now; absent when it is kept nowhere. */
  readonly save?: () => void;
}

interface ControlCall extends ControlDeps {
  readonly body: unknown;
  readonly id: string;
  readonly query: URLSearchParams;
}

interface ControlRoute {
  readonly method: string;
  /** `*` stands for one part of the path. */
  readonly path: string;
  readonly about: string;
  readonly handle: (call: ControlCall) => object;
}

const SCOPE = {
  verb: z.string().optional(),
  serverId: z.string().optional(),
  when: z.enum(['before', 'after']).optional(),
  count: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
};
const FAULT = z.strictObject({ fault: z.string(), ...SCOPE });
const SWITCHED_OFF = z.strictObject({ fault: z.string(), verb: SCOPE.verb, serverId: SCOPE.serverId });
const NEW_SERVER = z.strictObject({
  name: z.string().min(1),
  type: z.string().optional(),
  osFamily: z.string().optional(),
  status: z.enum(['ready', 'starting']).optional(),
});
const AUDIT = z.strictObject({ only: z.literal('writes').optional(), last: z.coerce.number().int().min(0).optional() });
const AWAY = z.strictObject({ seconds: z.number().min(0) });

const showAudit = ({ cloud, query }: ControlCall): object => {
  const { only, last } = parse(AUDIT, Object.fromEntries(query), 'BadQuery');
  const others = only === 'writes' ? undefined : cloud.otherCalls();
  const calls = [...cloud.audit(), ...(others?.entries ?? [])].toSorted((left, right) => left.number - right.number);
  const shown = last === undefined ? calls : calls.slice(Math.max(calls.length - last, 0));
  return { audit: shown.map(showEntry), ...(others === undefined ? {} : { dropped: others.dropped }) };
};

const ROUTES: readonly ControlRoute[] = [
  {
    ...{ method: 'GET', path: '/', about: 'what there is' },
    handle: () => ({ routes: ROUTES.map(({ method, path, about }) => `${method} ${path}: ${about}`) }),
  },
  {
    ...{ method: 'GET', path: '/servers', about: 'the servers as they really are, with their count of wipes' },
    handle: ({ cloud }) => ({ servers: cloud.servers().map(showServer) }),
  },
  {
    ...{ method: 'POST', path: '/servers', about: 'adds one: {"name": …, "type"?, "osFamily"?, "status"?}' },
    handle: ({ cloud, body }) => showServer(cloud.addServer(parsePresent(parse(NEW_SERVER, body)))),
  },
  {
    ...{ method: 'DELETE', path: '/servers/*', about: 'deletes one, as a person in the console' },
    handle: ({ cloud, id }) => {
      if (cloud.server(id) === undefined) throw noSuchServer(id);
      cloud.deleteServer(id);
      return { deleted: id };
    },
  },
  {
    ...{ method: 'GET', path: '/faults', about: 'what all faults are, and those that are on' },
    handle: ({ cloud }) => ({
      faults: FAULT_STORIES,
      on: cloud
        .faults()
        .map(({ answer: _, left, ...fault }) => ({ ...fault, left: Number.isFinite(left) ? left : null })),
    }),
  },
  {
    ...{
      method: 'POST',
      path: '/faults',
      about: 'switches one on: {"fault": "F05", "verb"?, "serverId"?, "when"?, "count"?, "probability"?}',
    },
    handle: ({ cloud, body }) => {
      const { fault, ...scope } = parse(FAULT, body);
      cloud.switchOn(fault, parsePresent(scope));
      return { on: fault };
    },
  },
  {
    ...{ method: 'DELETE', path: '/faults', about: 'switches one off: {"fault": "F05", "verb"?, "serverId"?}' },
    handle: ({ cloud, body }) => {
      const { fault, ...scope } = parse(SWITCHED_OFF, body);
      cloud.switchOff(fault, parsePresent(scope));
      return { off: fault };
    },
  },
  {
    ...{
      method: 'GET',
      path: '/audit',
      about: 'every call: all writes, and the latest of all others; ?only=writes, and ?last=20 for the last of them',
    },
    handle: showAudit,
  },
  {
    ...{ method: 'POST', path: '/away', about: 'the API answers nobody for a while: {"seconds": 30}' },
    handle: ({ cloud, body }) => {
      const { seconds } = parse(AWAY, body);
      cloud.goAway(seconds * 1_000);
      return { awaySeconds: seconds };
    },
  },
  {
    ...{ method: 'POST', path: '/save', about: 'writes the state to its file now' },
    handle: ({ save }) => {
      if (save === undefined) throw invalid('NoStateFile', 'the state is kept nowhere', 'Start with --state <file>.');
      save();
      return { saved: true };
    },
  },
  {
    ...{ method: 'GET', path: '/bill', about: 'what all servers have cost so far' },
    handle: ({ cloud }) => ({ euros: Math.round(cloud.euros() * 100) / 100 }),
  },
];

export const answerControl = (deps: ControlDeps, { method, target, body }: ApiRequest): ApiAnswer => {
  const { pathname, searchParams: query } = new URL(target, 'http://control');
  const [, first = '', id] = pathname.split('/');
  const path = id === undefined ? `/${first}` : `/${first}/*`;
  try {
    const route = ROUTES.find((known) => known.method === method && known.path === path);
    if (route === undefined)
      throw invalid('NoSuchRoute', `there is no ${method} ${pathname}`, 'GET / lists what there is.');
    return toAnswer(200, route.handle({ ...deps, query, id: id ?? '', body: parseBody(body) }));
  } catch (error) {
    if (!isKind(error, 'invalid', 'not-found') || !(error instanceof FleetError)) throw error;
    const { code, message, hint } = error;
    const status = error.kind === 'not-found' || code === 'NoSuchRoute' ? 404 : 400;
    return toAnswer(status, { code, message, ...(hint === undefined ? {} : { hint }) });
  }
};

const toAnswer = (status: number, body: object): ApiAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(body)}\n`,
});

const parseBody = (text: string): unknown => {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid('BadJson', `the body is no JSON: ${messageOf(error)}`, 'Send a JSON object.');
  }
};

const parse = <T>(schema: z.ZodType<T>, value: unknown, code = 'BadBody'): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(code, describeIssues(result.error), 'GET / shows what each path takes.');
};

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Optional members that are undefined are left out, as the rest of the code writes them. */
const parsePresent = <T extends object>(value: T): Present<T> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Present<T>;

const showServer = ({ password, ...server }: SimServer): object => ({ ...server, password: password.reveal() });

const showEntry = ({ before, after, ...entry }: CallEntry): object => ({
  ...entry,
  before: before === undefined ? null : showState(before),
  after: after === undefined ? null : showState(after),
});

const showState = ({ name, status, wipes }: SimServer): object => ({ name, status, wipes });

const noSuchServer = (id: string): FleetError =>
  new FleetError('not-found', { code: 'NoSuchServer', message: `there is no server ${id}` });

const invalid = (code: string, message: string, hint: string): FleetError =>
  new FleetError('invalid', { code, message, hint });
