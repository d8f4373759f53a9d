/**
 * The control of a simulator, over HTTP on a port of its own: what a person or a test does to the world, and the truth that
 * its API never shows. What all of them share: routes as data, bodies that are read strictly, refusals that say what to do.
 */
import type { z } from 'zod';
import { FleetError, isKind, messageOf } from '../../base/errors.ts';
import type { ApiAnswer, ApiRequest } from './api-message.ts';
import { describeIssues } from './describe-issues.ts';

export interface ControlCall<Deps> {
  readonly deps: Deps;
  readonly body: unknown;
  /** What stood at `*` in the path. */
  readonly id: string;
  readonly query: URLSearchParams;
}

export interface ControlRoute<Deps> {
  readonly method: string;
  /** `*` stands for one part of the path. */
  readonly path: string;
  readonly about: string;
  readonly handle: (call: ControlCall<Deps>) => object;
}

/** Pure: one request in, one answer out. `GET /` lists the routes. */
export const createControl =
  <Deps>(routes: readonly ControlRoute<Deps>[]) =>
  (deps: Deps, { method, target, body }: ApiRequest): ApiAnswer => {
    const { pathname, searchParams: query } = new URL(target, 'http://control');
    const [, first = '', id] = pathname.split('/');
    const path = id === undefined ? `/${first}` : `/${first}/*`;
    try {
      if (method === 'GET' && path === '/') return toAnswer(200, { routes: [LISTING, ...routes].map(describe) });
      const route = routes.find((known) => known.method === method && known.path === path);
      if (route === undefined)
        throw invalid('NoSuchRoute', `there is no ${method} ${pathname}`, 'GET / lists what there is.');
      return toAnswer(200, route.handle({ deps, query, id: id ?? '', body: parseBody(body) }));
    } catch (error) {
      return toRefusal(error);
    }
  };

const toRefusal = (error: unknown): ApiAnswer => {
  if (!isKind(error, 'invalid', 'not-found') || !(error instanceof FleetError)) throw error;
  const { code, message, hint } = error;
  const status = error.kind === 'not-found' || code === 'NoSuchRoute' ? 404 : 400;
  return toAnswer(status, { code, message, ...(hint === undefined ? {} : { hint }) });
};

const LISTING = { method: 'GET', path: '/', about: 'what there is' };

const describe = ({ method, path, about }: typeof LISTING): string => `${method} ${path}: ${about}`;

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

/** What does not fit is refused with its place. */
export const parseControl = <T>(schema: z.ZodType<T>, value: unknown, code = 'BadBody'): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(code, describeIssues(result.error), 'GET / shows what each path takes.');
};

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Optional members that are undefined are left out, as the rest of the code writes them. */
export const parsePresent = <T extends object>(value: T): Present<T> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Present<T>;

const invalid = (code: string, message: string, hint: string): FleetError =>
  new FleetError('invalid', { code, message, hint });
