/** What tests of the API share: a control plane in memory on a clock that stands still, and ways to talk to it. */
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'yaml';
import { neverAborted } from '../../../base/abort.ts';
import { createIds } from '../../../base/ids.ts';
import { createLoggerTo } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createKubeClient } from '../../../kube/client/create-client.ts';
import { createCsr } from '../../../pki/csr.ts';
import { createKeyPair } from '../../../pki/key.ts';
import { ADMIN } from '../../auth/user.ts';
import { createStore, type StoreOptions } from '../../store/store.ts';
import { createApiServer } from '../api-server.ts';
import { createApiTransport } from '../in-process-transport.ts';

type Body = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

export const createTestPlane = (options: StoreOptions = {}) => {
  const clock = createManualClock();
  const random = createSeededRandom('api');
  const errors: unknown[] = [];
  const logger = createLoggerTo((level, _message, fields) => {
    if (level === 'error') errors.push(fields?.['error']);
  });
  const store = createStore(options);
  const api = createApiServer({ store, clock, ids: createIds(random), logger });
  const transport = createApiTransport(api, ADMIN);
  const client = createKubeClient({ transport, clock, random, logger });
  const signal = neverAborted();

  const ask = (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Answer => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const text = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
    const response = api.handle({ method, path, headers, user: ADMIN, ...text });
    if (typeof response.body !== 'string') throw new Error('a stream, where a body was expected');
    return { status: response.status, headers: response.headers, body: parseBody(response.body) };
  };
  /** A watch: its lines so far, and how to hang up. */
  const watch = (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const { status, body } = api.handle({ method: 'GET', path, headers, user: ADMIN });
    const lines: Body[] = [];
    let isEnded = false;
    if (typeof body === 'string')
      return { status, lines: [parseBody(body)], isEnded: () => true, stop: () => undefined };
    const push = (chunk: Uint8Array): void => {
      for (const line of Buffer.from(chunk).toString().trimEnd().split('\n')) lines.push(parseBody(line));
    };
    const end = (): void => {
      isEnded = true;
    };
    const stop = body({ push, end, fail: end });
    return { status, lines, isEnded: () => isEnded, stop };
  };
  const patch = (path: string, type: keyof typeof PATCH_TYPES, body: unknown): Answer =>
    ask('PATCH', path, body, { 'content-type': PATCH_TYPES[type] });
  return { clock, random, store, api, transport, client, signal, errors, ask, watch, patch, settle: () => nextTurn() };
};

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const parseBody = (text: string): Body => {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
};

const CRDS = new URL('../../../../deploy/crds/', import.meta.url);

/** Our CRDs as they are deployed. */
export const readCrds = (): readonly Body[] =>
  readdirSync(CRDS).map((file): Body => parse(readFileSync(new URL(file, CRDS), 'utf8')));

/** A certificate request as the API has it. */
export const SIGNING_REQUEST = Buffer.from(
  createCsr({
    identity: { commonName: 'somebody' },
    keyPair: createKeyPair(createSeededRandom('signing-request')),
  }),
).toString('base64');

/** The value under dotted names; a number is an index. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
