/** What a Mac tries on certificate requests: its own renewal, and becoming somebody else. */
import { createSystemRandom } from '../../../src/base/random.ts';
import { NODE_GROUP, NODE_SIGNER, nodeUserOf } from '../../../src/kube/node/node-certificate.ts';
import { createCsr } from '../../../src/pki/csr.ts';
import type { Identity } from '../../../src/pki/identity.ts';
import { createKeyPair } from '../../../src/pki/key.ts';
import {
  type Attempt,
  type AttemptRequest,
  allowed,
  forbidden,
  forbiddenToAll,
  get,
  patch,
  post,
  remove,
} from './attempt.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

const OWN_NAME_ONLY = 'a Node asks for certificates of its own name only';

interface Certified {
  readonly signer: string;
  readonly identity: Partial<Identity>;
  readonly usage: 'client auth' | 'server auth';
}

export const renderRequest = ({ signer, identity, usage }: Certified) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { generateName: 'attempt-' },
  spec: {
    request: Buffer.from(createCsr({ identity, keyPair: createKeyPair(createSystemRandom()) })).toString('base64'),
    signerName: signer,
    usages: ['digital signature', usage],
  },
});

const ask = (certified: Certified): AttemptRequest => post(REQUESTS, renderRequest(certified));

const asNode = (nodeName: string, more: Partial<Identity> = {}): Partial<Identity> => ({
  commonName: nodeUserOf(nodeName),
  organizations: [NODE_GROUP],
  ...more,
});

const client = (identity: Partial<Identity>): Certified => ({ signer: NODE_SIGNER, identity, usage: 'client auth' });

const serving = (nodeName: string): Certified => ({
  signer: SERVING_SIGNER,
  identity: asNode(nodeName, { dnsNames: [nodeName], ipAddresses: ['192.0.2.7'] }),
  usage: 'server auth',
});

export const ATTEMPTS_ON_CERTIFICATES: readonly Attempt[] = [
  allowed('asks to renew its certificate', 'under its own name', ({ node }) => ask(client(asNode(node)))),
  forbidden('asks for a certificate of its neighbour', OWN_NAME_ONLY, ({ neighbour }) =>
    ask(client(asNode(neighbour))),
  ),
  forbidden('asks for a certificate of no Node by the signer of Nodes', OWN_NAME_ONLY, () =>
    ask(client({ commonName: 'kubernetes-admin', organizations: [NODE_GROUP] })),
  ),
  allowed('asks for a serving certificate of its own', 'nobody approves it by itself', ({ node }) =>
    ask(serving(node)),
  ),
  forbidden('asks for a serving certificate of its neighbour', OWN_NAME_ONLY, ({ neighbour }) =>
    ask(serving(neighbour)),
  ),
  forbiddenToAll('asks to become a master', 'no certificate is issued for that group', () =>
    ask({
      signer: CLIENT_SIGNER,
      identity: { commonName: 'admin', organizations: ['system:masters'] },
      usage: 'client auth',
    }),
  ),
  allowed(
    'asks the signer of users for a certificate of its neighbour',
    'asking is free and only the two signers of Nodes are guarded: whoever approves must look at the name',
    ({ neighbour }) => ask({ signer: CLIENT_SIGNER, identity: asNode(neighbour), usage: 'client auth' }),
  ),
  allowed('reads the requests of others', 'it waits for its own among them', ({ request }) =>
    get(`${REQUESTS}/${request}`),
  ),
  allowed('lists all requests', 'it waits for its own among them', () => get(REQUESTS)),
  forbidden('approves a request', 'approving is for controllers', ({ request }) =>
    patch(`${REQUESTS}/${request}/approval`, {
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Me', message: '' }] },
    }),
  ),
  forbidden('reads the approval of a request apart', 'approving is for controllers', ({ request }) =>
    get(`${REQUESTS}/${request}/approval`),
  ),
  forbidden('signs a request', 'signing is for controllers', ({ request }) =>
    patch(`${REQUESTS}/${request}/status`, { status: { certificate: Buffer.from('x').toString('base64') } }),
  ),
  forbidden('changes a request', 'it may ask anew', ({ request }) =>
    patch(`${REQUESTS}/${request}`, { metadata: { annotations: { a: 'b' } } }),
  ),
  forbidden('deletes a request', 'old ones are cleaned up by others', ({ request }) =>
    remove(`${REQUESTS}/${request}`),
  ),
];
