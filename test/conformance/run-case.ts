/** Runs one case on one server and says what was not as expected. */
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { isRecord } from '../../src/base/json.ts';
import type { Answer, ConformanceApi, Sent } from './api.ts';
import { type ConformanceCase, isWatch, type PatchType, type RequestStep, type WatchStep } from './case.ts';
import { mismatches } from './match.ts';
import { pathFor } from './objects.ts';

/** Nothing said: the case passed. */
export type Findings = readonly string[];

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const LOOK_AGAIN_MS = 100;

interface Running {
  readonly api: ConformanceApi;
  readonly kept: Map<string, string>;
}

export const runCase = async (api: ConformanceApi, { id, given = [], steps }: ConformanceCase): Promise<Findings> => {
  const running: Running = { api, kept: new Map([['ns', id]]) };
  for (const step of [...furnish(id), ...given.map(toStep)]) {
    const findings = await runRequest(running, step);
    if (findings.length > 0) return findings.map((text) => `given: ${text}`);
  }
  for (const [index, step] of steps.entries()) {
    const findings = isWatch(step) ? await runWatch(running, step) : await runRequest(running, step);
    if (findings.length > 0) return findings.map((text) => `step ${index + 1}: ${text}`);
  }
  return [];
};

/** Steps that belong to no case. */
export const runSteps = async (api: ConformanceApi, steps: readonly RequestStep[]): Promise<Findings> => {
  for (const step of steps) {
    const findings = await runRequest({ api, kept: new Map() }, step);
    if (findings.length > 0) return findings;
  }
  return [];
};

/** A namespace of its own, with the ServiceAccount that a controller would make. */
const furnish = (id: string): readonly RequestStep[] => [
  { ask: 'POST /api/v1/namespaces', send: { metadata: { name: id } }, expect: { status: 201 } },
  { ask: 'POST ~/serviceaccounts', send: { metadata: { name: 'default' } }, expect: { status: 201 } },
];

const toStep = (object: object): RequestStep => ({
  ask: `POST ${pathFor(object)}`,
  send: object,
  expect: { status: 201 },
});

const runRequest = async (running: Running, step: RequestStep): Promise<Findings> => {
  const clock = createSystemClock();
  const startMs = clock.elapsed();
  while (true) {
    const answer = await running.api.request(toRequest(running, step));
    const findings = judge(running, step, answer);
    const isOver = step.is !== 'eventual' || clock.elapsed() - startMs > running.api.patienceMs;
    if (findings.length === 0) keep(running, step, answer);
    if (findings.length === 0 || isOver) return findings;
    await sleep(clock, LOOK_AGAIN_MS, neverAborted());
  }
};

const toRequest = (running: Running, step: RequestStep): Sent => {
  const [method = '', path = ''] = fill(running, step.ask).split(/ (.*)/s);
  const type = step.patch === undefined ? 'application/json' : PATCH_TYPES[step.patch];
  const { as, token, send } = step;
  return {
    method: parseMethod(method),
    path: expand(running, path),
    headers: {
      accept: 'application/json',
      ...(send !== undefined && { 'content-type': type }),
      ...fillAll(running, step.headers ?? {}),
    },
    ...(send !== undefined && { body: fill(running, typeof send === 'string' ? send : JSON.stringify(send)) }),
    ...(as !== undefined && { as }),
    ...(token !== undefined && { token: fill(running, token) }),
  };
};

const parseMethod = (text: string): Sent['method'] => text as Sent['method'];

const judge = (running: Running, { ask, expect }: RequestStep, { status, headers, body }: Answer): Findings => {
  const wanted = fillDeep(running, { status: expect.status, headers: expect.headers, body: expect.body });
  const found = mismatches({ status, headers, body }, wanted, '');
  if (found.length === 0) return [];
  return found.map((text) => `${ask} ${text}`).concat(`answer: ${status} ${JSON.stringify(body).slice(0, 1_200)}`);
};

const keep = ({ kept }: Running, { keep: wanted = {} }: RequestStep, { body }: Answer): void => {
  for (const [name, path] of Object.entries(wanted)) kept.set(name, String(valueAt(body, path)));
};

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => {
    if (Array.isArray(inner)) return inner[Number(name)];
    return isRecord(inner) ? inner[name] : undefined;
  }, value);

const runWatch = async (running: Running, step: WatchStep): Promise<Findings> => {
  const { as, headers = {} } = step;
  const path = expand(running, fill(running, step.watch));
  const accept = { accept: 'application/json', ...headers };
  const watch = await running.api.watch({ path, headers: accept, ...(as !== undefined && { as }) });
  try {
    for (const request of step.meanwhile ?? []) {
      const findings = await runRequest(running, request);
      if (findings.length > 0) return findings;
    }
    for (const [index, wanted] of step.lines.entries()) {
      const line = await watch.next();
      const findings = mismatches(line, fillDeep(running, wanted), `line ${index + 1}`);
      if (findings.length > 0) return [...findings, `line: ${(JSON.stringify(line) ?? 'the end').slice(0, 600)}`];
    }
    if (step.ends !== 'by itself') return [];
    const more = await watch.next();
    return more === undefined ? [] : [`the watch goes on: ${JSON.stringify(more).slice(0, 400)}`];
  } finally {
    watch.stop();
  }
};

/** `~/pods` → the case's namespace in the core group, `~apps/v1/deployments` → in another. */
const expand = ({ kept }: Running, path: string): string => {
  const [, group, rest] = /^~([^/]*)\/(.*)$/s.exec(path) ?? [];
  if (group === undefined || rest === undefined) return path;
  const ns = kept.get('ns') ?? '';
  if (group === '') return `/api/v1/namespaces/${ns}/${rest}`;
  const [version = '', ...names] = rest.split('/');
  return `/apis/${group}/${version}/namespaces/${ns}/${names.join('/')}`;
};

const fill = ({ kept }: Running, text: string): string =>
  text.replace(/<([a-z][a-zA-Z0-9]*)>/g, (whole, name: string) => kept.get(name) ?? whole);

const fillAll = (running: Running, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(running, value)]));

/** Patterns stay as they are. */
const fillDeep = (running: Running, wanted: unknown): unknown => {
  if (typeof wanted === 'string') return fill(running, wanted);
  if (Array.isArray(wanted)) return wanted.map((inner) => fillDeep(running, inner));
  if (!isRecord(wanted) || Object.getPrototypeOf(wanted) !== Object.prototype) return wanted;
  const filled = Object.entries(wanted).map(([name, inner]) => [name, fillDeep(running, inner)]);
  return { ...wanted, ...Object.fromEntries(filled) };
};
