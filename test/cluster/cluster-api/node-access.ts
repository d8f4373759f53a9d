/**
 * How the Macs of a test join: a bootstrap token of its own, and somebody who approves the certificates that are asked for
 * with it. Until the provider does both itself, the bench does.
 */
import { createSystemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom, type Random } from '../../../src/base/random.ts';
import { createCache } from '../../../src/kube/cache/cache.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { NODE_GROUP, NODE_SIGNER, nodeUserOf } from '../../../src/kube/node/node-certificate.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../../src/kube/types/certificates.ts';
import { parseCsr } from '../../../src/pki/csr.ts';
import type { Cluster } from '../bench/cluster.ts';

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  /** Whoever shows the token is in this group. */
  readonly group: string;
}

export const drawToken = (namespace: string, random: Random): BootstrapToken => {
  const hex = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');
  return { id: hex(3), secret: hex(8), group: `system:bootstrappers:${namespace}` };
};

const TOKEN_LIFE_MS = 30 * 60_000;

/** The token, and the right to ask for a certificate with it. */
export const renderTokenObjects = (
  { id, secret, group }: BootstrapToken,
  lifeMs: number = TOKEN_LIFE_MS,
): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': group,
      expiration: new Date(Date.now() + lifeMs).toISOString(),
    },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `node-bootstrap-${id}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  },
];

/** What the bootstrap puts on a Mac. JSON is YAML. */
export const renderJoinKubeconfig = (cluster: Cluster, { id, secret }: BootstrapToken): string =>
  renderTokenKubeconfig(cluster, `${id}.${secret}`);

export const renderTokenKubeconfig = ({ server, caPem }: Cluster, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'bench', cluster: { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: 'mac', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'mac' } }],
    'current-context': 'bench',
  });

export interface Approver {
  /** The Nodes whose certificates were approved, in that order. */
  readonly approved: readonly string[];
  stop(): Promise<void>;
}

export interface ApproverOptions {
  readonly client: KubeClient;
  readonly token: BootstrapToken;
  /** Whether a Mac of that name is expected to join now. */
  readonly isExpected: (nodeName: string) => boolean;
}

/** Approves what the token may ask for, and denies the rest of what is asked with it. */
export const startApprover = ({ client, token, isExpected }: ApproverOptions): Approver => {
  const life = new AbortController();
  const approved: string[] = [];
  const answers: Promise<unknown>[] = [];
  const requests = createCache({
    ...{ client, clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger },
    resource: CERTIFICATE_SIGNING_REQUESTS,
  });
  requests.subscribe((change) => {
    if (change.type === 'deleted') return;
    const { object } = change;
    if (object.status?.conditions !== undefined || !object.spec.groups?.includes(token.group)) return;
    const nodeName = nodeNameIn(object);
    const isGood = nodeName !== undefined && isExpected(nodeName);
    if (isGood) approved.push(nodeName);
    answers.push(answer(client, object, { type: isGood ? 'Approved' : 'Denied', signal: life.signal }));
  });
  const running = requests.run(life.signal);
  return {
    approved,
    stop: async () => {
      await Promise.all(answers);
      life.abort();
      await running;
    },
  };
};

/** The Node that a request speaks for; undefined when it asks for anything else. */
const nodeNameIn = ({ spec }: CertificateSigningRequest): string | undefined => {
  if (spec.signerName !== NODE_SIGNER) return undefined;
  const csr = parseCsr(Buffer.from(spec.request, 'base64').toString());
  const nodeName = csr.commonName?.slice(nodeUserOf('').length) ?? '';
  const isNode = csr.commonName === nodeUserOf(nodeName) && nodeName !== '';
  const isPlain = csr.organizations.join() === NODE_GROUP && csr.extensionIds.length === 0;
  return isNode && isPlain ? nodeName : undefined;
};

const answer = (
  client: KubeClient,
  request: CertificateSigningRequest,
  { type, signal }: { readonly type: 'Approved' | 'Denied'; readonly signal: AbortSignal },
): Promise<unknown> => {
  const condition = { type, status: 'True', reason: 'Bench', message: 'decided by the bench' } as const;
  const answered = { ...request, status: { ...request.status, conditions: [condition] } };
  return client.update(CERTIFICATE_SIGNING_REQUESTS, answered, { subresource: 'approval', signal });
};
