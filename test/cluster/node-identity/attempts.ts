/**
 * What somebody who stole a Mac's identity may do, and what not: every row is tried on a real API server. The rows are
 * for any such identity; later parts run them with the one their agent really holds.
 */
import { neverAborted } from '../../../src/base/abort.ts';
import { isRecord } from '../../../src/base/json.ts';
import { connectCluster } from '../../../src/kube/client/connect.ts';
import { createHostIo } from '../../../src/kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../../src/kube/client/login/load-cluster.ts';
import type { Transport } from '../../../src/kube/client/transport.ts';
import type { Cluster } from '../bench/cluster.ts';
import { parts } from '../kube/scene.ts';
import type { Answer, Attempt, AttemptRequest, Verdict } from './attempt.ts';
import { ATTEMPTS_ON_CERTIFICATES } from './attempts-on-certificates.ts';
import { ATTEMPTS_ON_NODES } from './attempts-on-nodes.ts';
import { ATTEMPTS_ON_PODS } from './attempts-on-pods.ts';
import { ATTEMPTS_ON_SECRETS } from './attempts-on-secrets.ts';
import { ATTEMPTS_ON_THE_REST } from './attempts-on-the-rest.ts';
import { type NodeIdentity, setStage } from './stage.ts';

export const ATTEMPTS: readonly Attempt[] = [
  ...ATTEMPTS_ON_NODES,
  ...ATTEMPTS_ON_PODS,
  ...ATTEMPTS_ON_SECRETS,
  ...ATTEMPTS_ON_CERTIFICATES,
  ...ATTEMPTS_ON_THE_REST,
];

export interface AttemptResult {
  readonly row: Attempt;
  readonly verdict: Verdict;
  /** What the server answered, for a person who wonders. */
  readonly answer: string;
}

/** Tries every row with this identity, whose Node must have been registered. Leaves nothing behind. */
export const runAttempts = async (
  cluster: Cluster,
  identity: NodeIdentity,
  rows: readonly Attempt[],
): Promise<readonly AttemptResult[]> => {
  const host = createHostIo();
  const { transport } = await connectCluster(await loadKubeconfig({ path: identity.kubeconfig }, host), {
    host,
    ...parts(),
  });
  const stage = await setStage(cluster, identity);
  try {
    const results: AttemptResult[] = [];
    for (const row of rows) results.push(judge(row, await send(transport, row.ask(stage))));
    return results;
  } finally {
    await transport.close();
    await stage.strike();
  }
};

interface Response {
  readonly status: number;
  readonly text: string;
}

const send = async (transport: Transport, request: AttemptRequest): Promise<Response> => {
  const { method, path, body, headers, isWatch } = request;
  const response = await transport.send({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: neverAborted(),
  });
  if (isWatch === true && response.status === 200) {
    await response.body[Symbol.asyncIterator]().return?.();
    return { status: 200, text: '' };
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { status: response.status, text: Buffer.concat(chunks).toString() };
};

const judge = (row: Attempt, { status, text }: Response): AttemptResult => ({
  row,
  verdict: verdictOf(row, status, text),
  answer: `${status} ${text.slice(0, 600)}`,
});

const verdictOf = ({ tookEffect }: Attempt, status: number, text: string): Verdict => {
  if (status === 403) return 'forbidden';
  if (status === 400 || status === 422) return 'invalid';
  if (status >= 300) return 'other';
  return tookEffect === undefined || tookEffect(parseAnswer(text)) ? 'allowed' : 'ignored';
};

const parseAnswer = (text: string): Answer => {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? (value as Answer) : {};
};
