/** Which certificate requests the built-in signers sign, and which the approver may approve, as Kubernetes judges. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { CertificateSigningRequest } from '../../../kube/types/certificates.ts';
import type { Csr } from '../../../pki/csr.ts';
import type { Usage } from '../../../pki/extensions.ts';

export const SIGNERS = {
  client: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
} as const;

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

type Names = Pick<
  Csr,
  'commonName' | 'organizations' | 'dnsNames' | 'ipAddresses' | 'emailAddresses' | 'uris' | 'wantsCa'
>;

/** Why the signer refuses; undefined when it signs. */
export const findFault = (signerName: string, csr: Names, usages: readonly string[]): string | undefined => {
  if (csr.wantsCa) return 'a certificate authority may not be asked for';
  switch (signerName) {
    case SIGNERS.client:
      return isSubset(usages, CLIENT_USAGES) && usages.includes('client auth')
        ? undefined
        : `usages did not match [${CLIENT_USAGES.join(' ')}]`;
    case SIGNERS.kubeletClient:
      return findKubeletClientFault(csr, usages);
    default:
      return findServingFault(csr, usages);
  }
};

const CLIENT_USAGES = ['client auth', 'digital signature', 'key encipherment'];
const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'];

const isSubset = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every((item) => whole.includes(item));

/** All of them; only the one for RSA keys may be missing. */
const isExactly = (usages: readonly string[], wanted: readonly string[]): boolean =>
  isSubset(usages, wanted) &&
  isSubset(
    wanted.filter((usage) => usage !== 'key encipherment'),
    usages,
  );

const findNodeFault = ({ commonName = '', organizations }: Names): string | undefined => {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') {
    return 'subject organization is not system:nodes';
  }
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node: ';
};

export const findKubeletClientFault = (csr: Names, usages: readonly string[]): string | undefined => {
  if (csr.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (csr.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (csr.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (csr.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const fault = findNodeFault(csr);
  if (fault !== undefined) return fault;
  return isExactly(usages, CLIENT_USAGES) ? undefined : `usages did not match [${CLIENT_USAGES.join(' ')}]`;
};

const findServingFault = (csr: Names, usages: readonly string[]): string | undefined => {
  if (csr.dnsNames.length + csr.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (csr.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (csr.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const fault = findNodeFault(csr);
  if (fault !== undefined) return fault;
  return isExactly(usages, SERVING_USAGES) ? undefined : `usages did not match [${SERVING_USAGES.join(' ')}]`;
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
