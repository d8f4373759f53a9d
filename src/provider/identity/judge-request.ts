/**
 * Whether a Mac gets the certificate it asks for (R23, D8): pure. It gets one for its own Node name only, while a machine
 * has it, for an hour at most, and for a key that nobody else has. Requests that are none of ours are left to others.
 */
import { parseTimestamp } from '../../base/clock.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import {
  findKubeletClientFault,
  findKubeletServingFault,
  nodeNameOf,
  SIGNERS,
} from '../../kube/certificates/node-request.ts';
import type { CertificateSigningRequest } from '../../kube/types/certificates.ts';
import type { Csr } from '../../pki/csr.ts';
import { providerIdOf } from '../host/host-caches.ts';
import { JOIN_GROUP, type TokenFacts } from './join-token.ts';

/** The most that a Mac's identity outlives its Mac. */
export const CERTIFICATE_LIFE_MS = 3_600_000;
/** How long a signer may take after an approval before its certificate outlives what is on record. */
export const SIGNING_MS = 60_000;

export interface RequestView {
  readonly nowMs: number;
  readonly request: CertificateSigningRequest;
  /** What is asked for; undefined when it cannot be read. */
  readonly csr: Csr | undefined;
  /** The token that was shown; undefined without one, or when it is not there any more. */
  readonly token: TokenFacts | undefined;
  /** The host that is claimed under the Node name in question. */
  readonly host: MacHost | undefined;
  /** providerID of the Node in question, as the API has it; undefined when there is none, or it does not say. */
  readonly speaker: string | undefined;
  /** Whose machines this manager works for; undefined: everybody's. */
  readonly namespace?: string;
  /** Where the Mac is reached. */
  readonly addresses: readonly string[];
  /** Other Nodes that had the same key certified. */
  readonly keyHolders: readonly string[];
  /** Whether another request by the same token was approved. */
  readonly isTokenSpent: boolean;
}

export type RequestVerdict =
  | { readonly do: 'ignore' }
  /** Its Mac is not on record, and may be again (R15). */
  | { readonly do: 'wait'; readonly afterMs: number }
  | { readonly do: 'approve'; readonly nodeName: string }
  | { readonly do: 'deny'; readonly why: string };

const OURS: readonly string[] = [SIGNERS.kubeletClient, SIGNERS.kubeletServing];

/** The Node name that a request is about: that of the token, or of the Node that renews; undefined when none of ours. */
export const claimedNameOf = ({ spec }: CertificateSigningRequest, token: TokenFacts | undefined): string | undefined =>
  token?.nodeName ?? nodeNameOf(spec.username);

export const judgeRequest = (view: RequestView): RequestVerdict => {
  const { request, token, host } = view;
  const { spec } = request;
  const isJoining = spec.groups?.includes(JOIN_GROUP) === true;
  const isKnownNode = nodeNameOf(spec.username) !== undefined && host !== undefined;
  if (!OURS.includes(spec.signerName) || !(isJoining || isKnownNode) || isOfAnother(view)) return { do: 'ignore' };
  const nodeName = claimedNameOf(request, token);
  if (nodeName === undefined) return deny('the token is not there any more, or was never for a Mac');
  const lifeLeftMs = (token?.expiresAtMs ?? 0) - view.nowMs;
  if (host === undefined && lifeLeftMs > 0) return { do: 'wait', afterMs: lifeLeftMs };
  const fault = findFault(view, nodeName, isJoining ? 'joining' : 'renewing');
  return fault === undefined ? { do: 'approve', nodeName } : deny(fault);
};

/** Managers of one namespace each share a cluster: who has the machine, decides. Whose it is may not be known any more. */
const isOfAnother = ({ namespace, token, host }: RequestView): boolean =>
  namespace !== undefined && (token?.namespace ?? host?.spec.claimRef?.namespace) !== namespace;

const deny = (why: string): RequestVerdict => ({ do: 'deny', why });

const findFault = (view: RequestView, nodeName: string, phase: 'joining' | 'renewing'): string | undefined => {
  const { request, csr, host, addresses, keyHolders } = view;
  if (csr === undefined) return 'the request cannot be read';
  const isServing = request.spec.signerName === SIGNERS.kubeletServing;
  const usages = request.spec.usages ?? [];
  const misfit = isServing ? findKubeletServingFault(csr, usages) : findKubeletClientFault(csr, usages);
  if (misfit !== undefined) return misfit;
  if (nodeNameOf(csr.commonName) !== nodeName) return `it asks for ${csr.commonName}, and may be Node ${nodeName} only`;
  return (
    (phase === 'joining' ? findTokenFault(view, isServing) : (findEnd(view) ?? findImpostor(view))) ??
    findHostFault(host, nodeName) ??
    (isServing ? findAddressFault(csr, nodeName, addresses) : findLifeFault(request)) ??
    (keyHolders.length > 0 ? `its key is that of Node ${keyHolders[0]}` : undefined)
  );
};

const findTokenFault = (view: RequestView, isServing: boolean): string | undefined => {
  const { token, host } = view;
  if (isServing) return 'a token is for a client certificate only';
  if (token?.host !== undefined && host !== undefined && token.host !== host.metadata.name)
    return `the token is for ${token.host}, and another Mac has the claim by now`;
  if (token?.wipes !== undefined && host !== undefined && token.wipes !== host.spec.wipes)
    return 'the token is from before the Mac was wiped';
  return isUsedBefore(view) ? 'the token was used before' : undefined;
};

/**
 * The record of the Mac says which token was used last, and for which request: no other request gets anything by it, nor by one
 * that was given out earlier. Of what a record that was lost said, the requests themselves still tell.
 */
const isUsedBefore = ({ token, request, host, isTokenSpent }: RequestView): boolean => {
  const used = host?.spec.identity?.token;
  if (token === undefined || used === undefined) return isTokenSpent;
  if (used.id === token.id) return used.request !== request.metadata.uid;
  return isTokenSpent || token.epoch <= used.epoch;
};

/** A request that waited until its Mac lost its identity: nobody could fetch the certificate. The Mac gets a new token. */
const findEnd = ({ host, nowMs }: RequestView): string | undefined => {
  const endsAtMs = parseTimestamp(host?.spec.identity?.expiresAt) ?? Number.POSITIVE_INFINITY;
  return endsAtMs - SIGNING_MS > nowMs ? undefined : 'the identity of that Mac has ended; it joins anew';
};

/** A Mac that lost its record may still speak under a name that another one has the claim to: it is not that one. */
const findImpostor = ({ host, speaker }: RequestView): string | undefined =>
  host === undefined || !speaker || speaker === providerIdOf(host)
    ? undefined
    : `the Mac that speaks as that Node is ${speaker}, and not the one that has the claim`;

/** After a release there is no renewal: the identity ends with its certificate. */
const findHostFault = (host: MacHost | undefined, nodeName: string): string | undefined => {
  if (host === undefined) return `no Mac is claimed under the name ${nodeName}`;
  if (host.spec.release !== undefined) return 'the Mac of that name was given back';
  return host.spec.quarantine === undefined ? undefined : 'the Mac of that name is in quarantine';
};

const findLifeFault = ({ spec }: CertificateSigningRequest): string | undefined => {
  const lifeMs = (spec.expirationSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
  return lifeMs <= CERTIFICATE_LIFE_MS ? undefined : 'it does not ask for an hour or less (expirationSeconds)';
};

const findAddressFault = (
  { dnsNames, ipAddresses }: Csr,
  nodeName: string,
  addresses: readonly string[],
): string | undefined => {
  const stray =
    dnsNames.find((name) => name !== nodeName) ?? ipAddresses.find((address) => !addresses.includes(address));
  return stray === undefined ? undefined : `${stray} is not where that Mac is reached`;
};
