/** For tests: the cluster of access-world.ts behind the whole API, and requests in anybody's name. */
import { createLoggerTo } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createGuardedApi } from '../../control-plane.ts';
import { parseStoredObject } from '../../store/object.ts';
import { createStore } from '../../store/store.ts';
import type { AnsweredRequest } from '../audit.ts';
import { ADMIN, type User } from '../user.ts';
import { WORLD } from './access-world.ts';

export interface Asked {
  readonly user?: User;
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const createGuardedWorld = () => {
  const clock = createManualClock();
  const store = createStore();
  const answered: AnsweredRequest[] = [];
  const errors: unknown[] = [];
  const logger = createLoggerTo((level, _message, fields) => {
    if (level === 'error') errors.push(fields?.['error']);
  });
  const random = createSeededRandom('guarded');
  const { api, tokens } = createGuardedApi({ store, clock, random, logger, onRequest: (one) => answered.push(one) });
  for (const { collection, object } of WORLD) store.put(collection, parseStoredObject(object));

  const ask = ({ user = ADMIN, method = 'GET', path, body, headers = {} }: Asked) => {
    const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = api.handle({ method, path, headers: { ...type, ...headers }, user, ...text });
    if (typeof response.body !== 'string') throw new Error('a stream, where a body was expected');
    return { status: response.status, body: parseBody(response.body) };
  };
  return { clock, store, api, tokens, ask, answered, errors };
};

/** Answers are looked into field by field. */
const parseBody = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
};
