/** Which certificate requests the built-in signers sign, and which the approver may approve, as Kubernetes judges. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import {
  CLIENT_USAGES,
  findKubeletClientFault,
  findKubeletServingFault,
  isSubset,
  type RequestedNames,
  SIGNERS,
} from '../../../kube/certificates/node-request.ts';
import type { CertificateSigningRequest } from '../../../kube/types/certificates.ts';
import type { Usage } from '../../../pki/extensions.ts';

const OUR_SIGNERS: readonly string[] = Object.values(SIGNERS);

/** Approved, by one of our signers, and neither signed nor failed yet. */
export const isDue = ({ spec, status }: CertificateSigningRequest): boolean =>
  OUR_SIGNERS.includes(spec.signerName) &&
  hasCondition(status, 'Approved') &&
  !hasCondition(status, 'Denied') &&
  !hasCondition(status, 'Failed') &&
  status?.certificate === undefined;

/** Nobody has decided about it. */
export const isPending = ({ status }: CertificateSigningRequest): boolean =>
  !hasCondition(status, 'Approved') && !hasCondition(status, 'Denied') && !hasCondition(status, 'Failed');

const hasCondition = (status: CertificateSigningRequest['status'], type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

/** Why the signer refuses; undefined when it signs. */
export const findFault = (signerName: string, csr: RequestedNames, usages: readonly string[]): string | undefined => {
  if (csr.wantsCa) return 'a certificate authority may not be asked for';
  switch (signerName) {
    case SIGNERS.client:
      return isSubset(usages, CLIENT_USAGES) && usages.includes('client auth')
        ? undefined
        : `usages did not match [${CLIENT_USAGES.join(' ')}]`;
    case SIGNERS.kubeletClient:
      return findKubeletClientFault(csr, usages);
    default:
      return findKubeletServingFault(csr, usages);
  }
};

/** The usages of the request that a certificate of ours may carry, in our own words. */
export const toUsages = (usages: readonly string[]): readonly Usage[] =>
  SIGNABLE.filter((usage) => usages.includes(usage));

const SIGNABLE: readonly Usage[] = ['digital signature', 'key encipherment', 'client auth', 'server auth'];

const MINUTE_MS = 60_000;
const LEAST_MS = 10 * MINUTE_MS;
const LONGEST_MS = 365 * 24 * 60 * MINUTE_MS;
const SHORT_MS = 8 * 60 * MINUTE_MS;
const BACKDATE_MS = 5 * MINUTE_MS;

/** From five minutes ago on; a short life is not made shorter by that. */
export const planLife = (expirationSeconds: number | undefined, nowMs: number) => {
  const askedMs = expirationSeconds === undefined ? LONGEST_MS : expirationSeconds * 1_000;
  const lifeMs = Math.min(LONGEST_MS, Math.max(LEAST_MS, askedMs));
  return { notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: nowMs + (lifeMs < SHORT_MS ? lifeMs : lifeMs - BACKDATE_MS) };
};

const HOUR_MS = 60 * MINUTE_MS;

/**
 * When a request is only in the way: an hour after it was decided, a day after nobody did. `certificateEndMs` is the end
 * of the certificate that was issued on it.
 */
export const cleanAtMs = (
  { metadata, status }: CertificateSigningRequest,
  certificateEndMs: number | undefined,
): number | undefined => {
  const bornMs = parseTimestamp(metadata.creationTimestamp);
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return bornMs === undefined ? undefined : bornMs + 24 * HOUR_MS;
  const isIssued = status?.certificate !== undefined;
  const times = conditions.flatMap(({ type, lastUpdateTime }) => {
    const atMs = parseTimestamp(lastUpdateTime) ?? bornMs;
    if (atMs === undefined) return [];
    return type === 'Approved' && !isIssued ? [atMs + 24 * HOUR_MS] : [atMs + HOUR_MS];
  });
  return Math.min(...times, ...(certificateEndMs === undefined ? [] : [certificateEndMs]));
};
