/** All cases on one implementation of the API: its servers started, furnished, asked, stopped. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { messageOf } from '../../src/base/errors.ts';
import { type ConformanceApi, type Connect, createConformanceApi } from './api.ts';
import type { ConformanceCase, RequestStep } from './case.ts';
import { GADGETS } from './gadget.ts';
import { type Findings, runCase, runSteps } from './run-case.ts';
import type { ConformanceServer } from './servers/server.ts';

export interface CaseResult {
  readonly row: ConformanceCase;
  readonly findings: Findings;
}

export type StartServer = (memory: 'lasting' | 'forgetful') => Promise<ConformanceServer>;

const MAC_HOSTS = join(import.meta.dirname, '../../deploy/crds/machosts.infrastructure.cluster.x-k8s.io.yaml');

/** Cases share nothing but the server, and some wait for what it does in its own time. */
const LANES = 6;

export const runSuite = async (
  start: StartServer,
  cases: readonly ConformanceCase[],
  connect?: Connect,
): Promise<readonly CaseResult[]> => {
  const results: CaseResult[] = [];
  for (const memory of ['lasting', 'forgetful'] as const) {
    const chosen = cases.filter(({ on }) => (on === 'forgetful') === (memory === 'forgetful'));
    if (chosen.length > 0) results.push(...(await runOn(await start(memory), chosen, connect)));
  }
  return results;
};

const runOn = async (
  server: ConformanceServer,
  cases: readonly ConformanceCase[],
  connect?: Connect,
): Promise<readonly CaseResult[]> => {
  const api = createConformanceApi(server, connect);
  const results: CaseResult[] = [];
  try {
    const findings = await runSteps(api, installKinds());
    if (findings.length > 0) throw new Error(`the kinds cannot be installed: ${findings.join('; ')}`);
    const waiting = cases.values();
    const runLane = async (): Promise<void> => {
      for (const row of waiting) results.push({ row, findings: await runSafely(api, row) });
    };
    await Promise.all(Array.from({ length: LANES }, runLane));
    return results;
  } finally {
    await api.close();
    await server.stop();
  }
};

const runSafely = async (api: ConformanceApi, row: ConformanceCase): Promise<Findings> => {
  try {
    return await runCase(api, row);
  } catch (thrown) {
    return [`threw: ${messageOf(thrown)}`];
  }
};

const installKinds = (): readonly RequestStep[] =>
  [GADGETS, parse(readFileSync(MAC_HOSTS, 'utf8'))].flatMap((crd): readonly RequestStep[] => {
    const { group, names, versions } = crd.spec;
    return [
      { ask: 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', send: crd, expect: { status: 201 } },
      { ask: `GET /apis/${group}/${versions[0].name}/${names.plural}`, expect: { status: 200 }, is: 'eventual' },
    ];
  });
