/**
 * How a Mac becomes `system:node:<name>`: it makes a key, asks the certificates API to certify it, and waits until somebody
 * approved that and the signer signed. Whoever asks first has a bootstrap token, afterwards the last certificate.
 */
import { createHash } from 'node:crypto';
import { type Clock, sleep } from '../../base/clock.ts';
import { FleetError, isKind } from '../../base/errors.ts';
import { createCsr } from '../../pki/csr.ts';
import type { KeyPair } from '../../pki/key.ts';
import type { KubeClient } from '../client/client.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../types/certificates.ts';

export const NODE_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const NODE_GROUP = 'system:nodes';
export const nodeUserOf = (nodeName: string): string => `system:node:${nodeName}`;

/** The most that a Mac's identity outlives its Mac (R23). */
const EXPIRATION_SECONDS = 3_600;
/** How long until the first look for an answer, and the longest between two of them. */
const LOOK_AFTER_MS = 250;
const LOOK_AFTER_MAX_MS = 30_000;

export interface CertificateAsk {
  /** As whom to ask. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly nodeName: string;
}

/** The certificate as PEM, for a key of a Node. One key is one request: asking again waits for the same answer. */
export const requestNodeCertificate = (
  { keyPair, ...ask }: CertificateAsk & { readonly keyPair: KeyPair },
  signal: AbortSignal,
): Promise<string> => requestCertificate(ask, renderNodeRequest(ask.nodeName, keyPair), signal);

/** The same for any request of a Node. */
export const requestCertificate = async (
  ask: CertificateAsk,
  wanted: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<string> => {
  const { client, clock } = ask;
  let request = await createOrFind(client, wanted, signal);
  for (let waitMs = LOOK_AFTER_MS; request.status?.certificate === undefined; waitMs *= 2) {
    assertNotRefused(request, ask.nodeName);
    await sleep(clock, Math.min(waitMs, LOOK_AFTER_MAX_MS), signal);
    request = await client.get(CERTIFICATE_SIGNING_REQUESTS, { name: wanted.metadata.name }, { signal });
  }
  return Buffer.from(request.status.certificate, 'base64').toString();
};

/** What makes whoever holds the key this Node. */
export const renderNodeRequest = (nodeName: string, keyPair: KeyPair): CertificateSigningRequest => {
  const identity = { commonName: nodeUserOf(nodeName), organizations: [NODE_GROUP] };
  return {
    metadata: { name: `node-csr-${nameKey(keyPair)}` },
    spec: {
      request: Buffer.from(createCsr({ identity, keyPair })).toString('base64'),
      signerName: NODE_SIGNER,
      expirationSeconds: EXPIRATION_SECONDS,
      usages: ['digital signature', 'client auth'],
    },
  };
};

/** A name for the requests of a key. */
export const nameKey = ({ publicKey }: KeyPair): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 40);

const createOrFind = async (
  client: KubeClient,
  wanted: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<CertificateSigningRequest> => {
  try {
    return await client.create(CERTIFICATE_SIGNING_REQUESTS, wanted, { signal });
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
    return client.get(CERTIFICATE_SIGNING_REQUESTS, { name: wanted.metadata.name }, { signal });
  }
};

const assertNotRefused = ({ metadata, status }: CertificateSigningRequest, nodeName: string): void => {
  const refusal = status?.conditions?.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (refusal === undefined) return;
  throw new FleetError('denied', {
    code: `Certificate${refusal.type}`,
    message: `the certificate request ${metadata.name} of Node ${nodeName} is ${refusal.type.toLowerCase()}: ${refusal.message ?? refusal.reason ?? 'no reason given'}`,
    hint: 'Look at the request with kubectl describe csr; a Mac asks again once it is bootstrapped anew.',
  });
};
