/**
 * Whether a certificate is to be trusted: a path of issuers up to one of the given roots, every one of them valid at the
 * time and allowed to do what it does. Trust spreads downwards from the roots, so hostile intermediates cost at most
 * the square of their number.
 */
import { toTimestamp } from '../base/clock.ts';
import { type Certificate, isIssuedBy } from './certificate.ts';
import { allowsExtendedUsage } from './extensions.ts';
import { isExpired, isNotYetValid } from './renewal.ts';

export interface ChainRequest {
  readonly certificate: Certificate;
  readonly roots: readonly Certificate[];
  readonly intermediates?: readonly Certificate[];
  readonly atMs: number;
  readonly usage: 'client auth' | 'server auth';
}

export type ChainFault =
  | 'NotYetValid'
  | 'Expired'
  | 'UsageNotAllowed'
  | 'UnknownCritical'
  | 'UnknownIssuer'
  | 'NotAnAuthority';

export type ChainVerdict =
  /** From the certificate up to the root. */
  | { readonly trusted: true; readonly chain: readonly Certificate[] }
  | { readonly trusted: false; readonly fault: ChainFault; readonly message: string };

/** An issuer that is trusted, the path from it up to its root, and how many issuers may stand below it. */
interface Issuer {
  readonly chain: readonly [Certificate, ...Certificate[]];
  readonly below: number;
}

export const checkChain = (request: ChainRequest): ChainVerdict => {
  const own = faultOf(request.certificate, request);
  if (own !== undefined) return own;
  const issuers = trustedIssuers(request);
  const issuer = issuers.find(({ chain: [first] }) => isIssuedBy(request.certificate, first));
  if (issuer !== undefined) return { trusted: true, chain: [request.certificate, ...issuer.chain] };
  return whyUntrusted(request);
};

const trustedIssuers = (request: ChainRequest): readonly Issuer[] => {
  const isUsable = (each: Certificate): boolean => issuerFaultOf(each, request) === undefined;
  const issuers: Issuer[] = request.roots
    .filter(isUsable)
    .map((root) => ({ chain: [root], below: root.pathLengthMax }));
  const waiting = new Set(request.intermediates?.filter(isUsable));
  // The list grows while it is walked: each new issuer is in turn asked for those below it.
  for (const { chain, below } of issuers) {
    if (below < 1) continue;
    for (const each of waiting) {
      if (!isIssuedBy(each, chain[0])) continue;
      waiting.delete(each);
      issuers.push({ chain: [each, ...chain], below: Math.min(below - 1, each.pathLengthMax) });
    }
  }
  return issuers;
};

type Untrusted = Extract<ChainVerdict, { readonly trusted: false }>;

/** An issuer that is there but may not be used explains more than "unknown issuer". */
const whyUntrusted = (request: ChainRequest): Untrusted => {
  const candidates = [...request.roots, ...(request.intermediates ?? [])];
  const issuer = candidates.find((each) => isIssuedBy(request.certificate, each));
  const fault = issuer && issuerFaultOf(issuer, request);
  return fault ?? untrusted('UnknownIssuer', `no trusted authority issued ${nameOf(request.certificate)}`);
};

const issuerFaultOf = (issuer: Certificate, request: ChainRequest): Untrusted | undefined =>
  issuer.isCa
    ? faultOf(issuer, request)
    : untrusted('NotAnAuthority', `${nameOf(issuer)} is not an authority and issued a certificate`);

const faultOf = (certificate: Certificate, { atMs, usage }: ChainRequest): Untrusted | undefined => {
  const name = nameOf(certificate);
  if (isNotYetValid(certificate, atMs)) {
    return untrusted('NotYetValid', `${name} is not valid before ${toTimestamp(certificate.notBeforeMs)}`);
  }
  if (isExpired(certificate, atMs)) {
    return untrusted('Expired', `${name} expired at ${toTimestamp(certificate.notAfterMs)}`);
  }
  if (certificate.unknownCritical.length > 0) {
    return untrusted('UnknownCritical', `${name} has critical extensions that are not understood`);
  }
  if (!allowsExtendedUsage(certificate.usages, usage)) {
    return untrusted('UsageNotAllowed', `${name} is not meant for ${usage}`);
  }
  return undefined;
};

const nameOf = ({ commonName, serial }: Certificate): string =>
  commonName === undefined ? `certificate ${serial}` : `the certificate of ${commonName.slice(0, 64)}`;

const untrusted = (fault: ChainFault, message: string): Untrusted => ({ trusted: false, fault, message });
