/**
 * Certificate requests: signed once somebody approved them, approved here only for a Node's client certificate and only
 * when whoever asks may have that (a serving certificate is never approved by itself), and cleaned up afterwards.
 */
import { toTimestamp } from '../../../base/clock.ts';
import { isKind, messageOf } from '../../../base/errors.ts';
import type { Random } from '../../../base/random.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import { findKubeletClientFault, SIGNERS } from '../../../kube/certificates/node-request.ts';
import { type AccessQuestion, askAccess } from '../../../kube/client/access-review.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../../kube/types/certificates.ts';
import { keyOf } from '../../../kube/types/meta.ts';
import { type Authority, issueCertificate } from '../../../pki/authority.ts';
import { parseCertificates, renderCertificate } from '../../../pki/certificate.ts';
import { type Csr, parseCsr } from '../../../pki/csr.ts';
import { cleanAtMs, findFault, isDue, isPending, planLife, toUsages } from './judge-csr.ts';

export interface CsrParts {
  readonly requests: Cache<CertificateSigningRequest>;
  readonly random: Random;
  readonly authority: Authority;
}

export const createCsrSigner = (parts: CsrParts): Controller =>
  createController({
    name: 'csr-signer',
    watches: [watchPrimary(parts.requests)],
    reconcile: (context) => sign(parts, context),
  });

const readRequest = ({ spec }: CertificateSigningRequest): Csr | string => {
  try {
    return parseCsr(Buffer.from(spec.request, 'base64').toString());
  } catch (error) {
    if (isKind(error, 'invalid')) return messageOf(error);
    throw error;
  }
};

const sign = async ({ requests, authority, random }: CsrParts, context: ReconcileContext): Promise<Verdict> => {
  const request = requests.get(context.key);
  if (request === undefined || !isDue(request)) return { next: 'rest' };
  const csr = readRequest(request);
  const usages = request.spec.usages ?? [];
  const fault = typeof csr === 'string' ? csr : findFault(request.spec.signerName, csr, usages);
  if (fault !== undefined || typeof csr === 'string') {
    await saveStatus(request, { fault: fault ?? '' }, context);
    return { next: 'rest' };
  }
  const certificate = issueCertificate(authority, {
    ...planLife(request.spec.expirationSeconds, context.clock.now()),
    ...{ identity: csr, publicKey: csr.publicKey, usages: toUsages(usages), random },
  });
  await saveStatus(request, { certificate: renderCertificate(certificate) }, context);
  return { next: 'rest' };
};

const saveStatus = async (
  request: CertificateSigningRequest,
  outcome: { readonly fault: string } | { readonly certificate: string },
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  const { uid, resourceVersion } = request.metadata;
  const at = toTimestamp(clock.now());
  const status =
    'certificate' in outcome
      ? { certificate: Buffer.from(outcome.certificate).toString('base64') }
      : {
          conditions: [
            ...(request.status?.conditions ?? []),
            {
              ...{ type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: outcome.fault },
              ...{ lastUpdateTime: at, lastTransitionTime: at },
            },
          ],
        };
  const body = { metadata: { uid, resourceVersion }, status };
  const options = { subresource: 'status', signal } as const;
  await kube.patch(CERTIFICATE_SIGNING_REQUESTS, keyOf(request), { type: 'merge', body }, options);
};

export const createCsrApprover = ({ requests }: Pick<CsrParts, 'requests'>): Controller =>
  createController({
    name: 'csr-approver',
    watches: [watchPrimary(requests)],
    reconcile: (context) => approve(requests, context),
  });

const approve = async (requests: Cache<CertificateSigningRequest>, context: ReconcileContext): Promise<Verdict> => {
  const request = requests.get(context.key);
  if (request === undefined || !isPending(request) || request.spec.signerName !== SIGNERS.kubeletClient) {
    return { next: 'rest' };
  }
  const csr = readRequest(request);
  if (typeof csr === 'string' || findKubeletClientFault(csr, request.spec.usages ?? []) !== undefined) {
    return { next: 'rest' };
  }
  for (const { subresource, message } of permissionsFor(request, csr)) {
    if (!(await askAccess(questionOf(request, subresource), context))) continue;
    await storeApproval(request, message, context);
    return { next: 'rest' };
  }
  return { next: 'rest' };
};

/** Renewing one's own certificate is another permission than getting the first. */
const permissionsFor = ({ spec }: CertificateSigningRequest, { commonName }: Csr) => [
  ...(spec.username === commonName
    ? [
        {
          subresource: 'selfnodeclient',
          message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
        },
      ]
    : []),
  { subresource: 'nodeclient', message: 'Auto approving kubelet client certificate after SubjectAccessReview.' },
];

const questionOf = ({ spec }: CertificateSigningRequest, subresource: string): AccessQuestion => ({
  user: spec.username ?? '',
  groups: spec.groups ?? [],
  ...(spec.extra !== undefined && { extra: spec.extra }),
  resourceAttributes: {
    ...{ group: 'certificates.k8s.io', resource: 'certificatesigningrequests', verb: 'create', version: '*' },
    subresource,
  },
});

const storeApproval = async (
  request: CertificateSigningRequest,
  message: string,
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  const at = toTimestamp(clock.now());
  const condition = {
    ...({ type: 'Approved', status: 'True', reason: 'AutoApproved', message } as const),
    ...{ lastUpdateTime: at, lastTransitionTime: at },
  };
  const conditions = [...(request.status?.conditions ?? []), condition];
  const decided = { ...request, status: { ...request.status, conditions } };
  await kube.update(CERTIFICATE_SIGNING_REQUESTS, decided, { subresource: 'approval', signal });
};

export const createCsrCleaner = ({ requests }: Pick<CsrParts, 'requests'>): Controller =>
  createController({
    name: 'csr-cleaner',
    watches: [watchPrimary(requests)],
    reconcile: async ({ key, kube, clock, signal }) => {
      const request = requests.get(key);
      const atMs = request === undefined ? undefined : cleanAtMs(request, certificateEndMs(request));
      if (request === undefined || atMs === undefined) return { next: 'rest' };
      const leftMs = atMs - clock.now();
      if (leftMs > 0) return { next: 'again', afterMs: leftMs };
      const { uid = '' } = request.metadata;
      await kube.delete(CERTIFICATE_SIGNING_REQUESTS, keyOf(request), { preconditions: { uid }, signal });
      return { next: 'rest' };
    },
  });

/** What cannot be read is somebody else's, and is cleaned by its age alone. */
const certificateEndMs = ({ status }: CertificateSigningRequest): number | undefined => {
  if (status?.certificate === undefined) return undefined;
  try {
    const [certificate] = parseCertificates(Buffer.from(status.certificate, 'base64').toString());
    return certificate.notAfterMs;
  } catch (error) {
    if (isKind(error, 'invalid')) return undefined;
    throw error;
  }
};
