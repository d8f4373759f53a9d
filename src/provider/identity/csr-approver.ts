/**
 * Approves or denies what Macs ask the certificates API for (judge-request.ts). Before it approves, it puts on the record of the
 * Mac until when it has an identity, and which token is good for this request only, in one write; a crash after it changes
 * nothing. The token stays until its end: with it the Mac fetches its certificate. What others approved goes on record once it is issued.
 */
import { createHash } from 'node:crypto';
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { rememberLast } from '../../base/remember.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { Cache, CacheOptions } from '../../kube/cache/cache.ts';
import { nodeNameOf, SIGNERS } from '../../kube/certificates/node-request.ts';
import { ifThere, readIfThere } from '../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../kube/types/certificates.ts';
import { NODES, SECRETS, type Secret } from '../../kube/types/core.ts';
import { type Certificate, parseCertificates } from '../../pki/certificate.ts';
import { type Csr, parseCsr } from '../../pki/csr.ts';
import { isWithin } from '../host/host-caches.ts';
import { recordOn } from '../host/host-record.ts';
import {
  JOIN_GROUP,
  parseToken,
  TOKEN_LIFE_MS,
  TOKEN_NAMESPACE,
  type TokenFacts,
  tokenIdOf,
  tokenNameOf,
} from './join-token.ts';
import {
  CERTIFICATE_LIFE_MS,
  claimedNameOf,
  judgeRequest,
  type RequestVerdict,
  type RequestView,
  SIGNING_MS,
} from './judge-request.ts';

/** How long after the end of a token Kubernetes' own cleaner may take to remove it, where there is one. */
const CLEANING_MS = 120_000;

interface ApproverCaches {
  /** With `REQUEST_INDEXES`. */
  readonly requests: Cache<CertificateSigningRequest>;
  /** Index `node`: by the name in `spec.claimRef`. */
  readonly hosts: Cache<MacHost>;
}

export interface ApproverParts extends ApproverCaches {
  /** Where a Mac may serve besides its own address: on the loopback, for Macs that are simulated there. */
  readonly servingAddresses: readonly string[];
  /** Whose machines this manager works for; all without it. */
  readonly namespace?: string;
}

/** By the key that is asked for, by the Node that nobody has decided on, by the token that was shown. */
export const REQUEST_INDEXES: NonNullable<CacheOptions<CertificateSigningRequest>['indexes']> = {
  key: (request) => [keyOfRequest(request)],
  undecided: (request) => undecidedNodeOf(request),
  token: ({ spec }) => [tokenIdOf(spec.username)].filter((id) => id !== undefined),
};

export const createCsrApprover = (parts: ApproverParts): Controller =>
  createController({
    name: 'certificatesigningrequests.approval',
    watches: [
      watchPrimary(parts.requests),
      // A Mac that comes on record may have asked before.
      watchMapped(parts.hosts, (change) => {
        const { claimRef } = change.type === 'deleted' ? change.old.spec : change.object.spec;
        const asked = claimRef === undefined ? [] : parts.requests.byIndex('undecided', claimRef.name);
        return asked.map(({ metadata }) => metadata.name);
      }),
    ],
    reconcile: (context) => decide(parts, context),
  });

const decide = async (parts: ApproverParts, context: ReconcileContext): Promise<Verdict> => {
  const request = parts.requests.get(context.key);
  if (request === undefined) return { next: 'rest' };
  if ((request.status?.conditions?.length ?? 0) > 0) {
    await noteIssued(parts, request, context);
    return isOurs(parts, request) ? retireToken(request, context) : { next: 'rest' };
  }
  const tokenSecret = await findToken(parts, request, context);
  const speaker = await findSpeaker(request, context);
  const view = { ...viewOf(parts, request, tokenSecret), speaker, nowMs: context.clock.now() };
  const verdict = judgeRequest(view);
  if (verdict.do === 'ignore') return { next: 'rest' };
  if (verdict.do === 'wait') return { next: 'again', afterMs: verdict.afterMs };
  if (verdict.do === 'approve') await prepareApproval(view, context);
  await answer(request, verdict, context);
  return { next: 'rest' };
};

const viewOf = (
  parts: ApproverParts,
  request: CertificateSigningRequest,
  tokenSecret: Secret | undefined,
): Omit<RequestView, 'nowMs' | 'speaker'> => {
  const token = tokenSecret === undefined ? undefined : parseToken(tokenSecret);
  const { requests, servingAddresses, namespace } = parts;
  const csr = readCsr(request);
  const host = hostNamed(parts, claimedNameOf(request, token) ?? '');
  const addresses = [...servingAddresses, host?.status?.server?.address ?? ''];
  return {
    request,
    csr,
    token,
    host,
    ...(namespace === undefined ? {} : { namespace }),
    addresses,
    keyHolders: csr === undefined ? [] : keyHoldersOf(requests, request, csr),
    isTokenSpent: token !== undefined && isTokenSpent(requests, request),
  };
};

/** Of a Node that renews: which Mac it is. */
const findSpeaker = async (
  { spec }: CertificateSigningRequest,
  context: ReconcileContext,
): Promise<string | undefined> => {
  const nodeName = nodeNameOf(spec.username);
  const node = nodeName === undefined ? undefined : await readIfThere(NODES, { name: nodeName }, context);
  return node?.spec?.providerID;
};

/** Of Macs that were claimed under one name, one after the other, the one that was last given an identity (R22, R23). */
const hostNamed = ({ hosts, namespace }: ApproverParts, nodeName: string): MacHost | undefined => {
  const endOf = ({ spec }: MacHost): number => parseTimestamp(spec.identity?.expiresAt) ?? 0;
  const ours = hosts.byIndex('node', nodeName).filter((host) => isWithin(namespace, host));
  return ours.toSorted((one, other) => endOf(other) - endOf(one))[0];
};

/** A manager of one namespace knows its own by the Mac that asks. */
const isOurs = (parts: ApproverParts, request: CertificateSigningRequest): boolean =>
  parts.namespace === undefined || hostNamed(parts, nodeNameOf(readCsr(request)?.commonName) ?? '') !== undefined;

const readCsr = ({ spec }: CertificateSigningRequest): Csr | undefined => readPem(spec.request);

const readPem = (base64: string): Csr | undefined => {
  try {
    return parseCsr(Buffer.from(base64, 'base64').toString());
  } catch (error) {
    if (isKind(error, 'invalid')) return undefined;
    throw error;
  }
};

const readCertificate = (base64: string): Certificate | undefined => {
  try {
    return parseCertificates(Buffer.from(base64, 'base64').toString())[0];
  } catch (error) {
    if (isKind(error, 'invalid')) return undefined;
    throw error;
  }
};

/** What tells one key from another; empty for a request that cannot be read. */
const keyOfRequest = ({ spec }: CertificateSigningRequest): string => digestOfKey(spec.request);

/** A request is indexed anew at each of its changes, and its key stays. */
const REMEMBERED = 64;

const digestOfKey = rememberLast(REMEMBERED, (base64) => {
  const der = readPem(base64)?.publicKey.export({ format: 'der', type: 'spki' });
  return der === undefined ? '' : createHash('sha256').update(der).digest('hex');
});

/** The Node that a request is about that nobody has decided; none of one that is decided, or cannot be read. */
const undecidedNodeOf = (request: CertificateSigningRequest): readonly string[] => {
  if ((request.status?.conditions?.length ?? 0) > 0) return [];
  const nodeName = nodeNameOf(readCsr(request)?.commonName);
  return nodeName === undefined ? [] : [nodeName];
};

/** Nodes of another name whose request for this very key was approved. */
const keyHoldersOf = (
  requests: Cache<CertificateSigningRequest>,
  request: CertificateSigningRequest,
  { commonName }: Csr,
): readonly string[] =>
  requests
    .byIndex('key', keyOfRequest(request))
    .filter(isApproved)
    .flatMap((other) => {
      const name = readCsr(other)?.commonName;
      const nodeName = nodeNameOf(name);
      return name === commonName || nodeName === undefined ? [] : [nodeName];
    });

/** Whether a request by the same token was approved that is not this one. */
const isTokenSpent = (requests: Cache<CertificateSigningRequest>, { metadata, spec }: CertificateSigningRequest) =>
  requests
    .byIndex('token', tokenIdOf(spec.username) ?? '')
    .some((other) => other.metadata.uid !== metadata.uid && isApproved(other));

const isApproved = ({ status }: CertificateSigningRequest): boolean =>
  status?.conditions?.some(({ type }) => type === 'Approved') === true;

/** Tokens of others are none of our business, nor may we read them. */
const tokenKeyOf = ({ spec }: CertificateSigningRequest) => {
  const id = spec.groups?.includes(JOIN_GROUP) === true ? tokenIdOf(spec.username) : undefined;
  return id === undefined ? undefined : { namespace: TOKEN_NAMESPACE, name: tokenNameOf(id) };
};

/** A manager of one namespace that may read no tokens has none of its own: others decide. */
const findToken = async (
  { namespace }: ApproverParts,
  request: CertificateSigningRequest,
  context: ReconcileContext,
): Promise<Secret | undefined> => {
  const key = tokenKeyOf(request);
  try {
    return key === undefined ? undefined : await readIfThere(SECRETS, key, context);
  } catch (error) {
    if (namespace !== undefined && isKind(error, 'denied')) return undefined;
    throw error;
  }
};

type Approval = Pick<RequestView, 'request' | 'token' | 'host'>;

const prepareApproval = async ({ request, token, host }: Approval, context: ReconcileContext): Promise<void> => {
  // A certificate to serve with makes nobody a Node; and what somebody else gave a Mac (R28) is not given an end.
  const isIdentity = request.spec.signerName === SIGNERS.kubeletClient;
  const isFromUs = (token ?? host?.spec.identity) !== undefined || host?.spec.takenOver !== true;
  if (host === undefined || !isIdentity || !isFromUs) return;
  const endsAtMs = context.clock.now() + CERTIFICATE_LIFE_MS + SIGNING_MS;
  await recordIdentity(host, { endsAtMs, ...(token && { token: useOf(token, request) }) }, context);
};

type Identity = NonNullable<MacHost['spec']['identity']>;

const useOf = ({ id, epoch }: TokenFacts, { metadata }: CertificateSigningRequest): Identity['token'] => ({
  ...{ id, request: metadata.uid ?? '', epoch },
});

interface Recorded {
  readonly endsAtMs: number;
  /** That it was used; without it what is on record stays. */
  readonly token?: Identity['token'];
}

const recordIdentity = async (
  host: MacHost,
  { endsAtMs, ...use }: Recorded,
  context: ReconcileContext,
): Promise<void> => {
  const { token } = { ...host.spec.identity, ...use };
  const nodeName = host.spec.claimRef?.name ?? '';
  await recordOn(host, { identity: { nodeName, expiresAt: toTimestamp(endsAtMs), ...(token && { token }) } }, context);
};

/** Kubernetes' own approver lets Nodes renew, and a signer may be slow: what was issued counts, if it lives for longer. */
const noteIssued = async (
  parts: ApproverParts,
  request: CertificateSigningRequest,
  context: ReconcileContext,
): Promise<void> => {
  const issued = issuedIdentity(request);
  const host = hostNamed(parts, issued?.nodeName ?? '');
  const recordedMs = parseTimestamp(host?.spec.identity?.expiresAt);
  if (issued === undefined || host === undefined || recordedMs === undefined) return;
  if (issued.endsAtMs > recordedMs) await recordIdentity(host, { endsAtMs: issued.endsAtMs }, context);
};

/** Undefined when nobody became a Node by this request. */
const issuedIdentity = ({ spec, status }: CertificateSigningRequest) => {
  if (spec.signerName !== SIGNERS.kubeletClient || status?.certificate === undefined) return undefined;
  const certificate = readCertificate(status.certificate);
  const nodeName = nodeNameOf(certificate?.commonName);
  return certificate === undefined || nodeName === undefined
    ? undefined
    : { nodeName, endsAtMs: certificate.notAfterMs };
};

const answer = async (
  request: CertificateSigningRequest,
  verdict: Extract<RequestVerdict, { do: 'approve' | 'deny' }>,
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  const at = toTimestamp(clock.now());
  const condition = {
    type: verdict.do === 'approve' ? 'Approved' : 'Denied',
    status: 'True',
    reason: verdict.do === 'approve' ? 'MacOfTheFleet' : 'NotForThisMac',
    message: verdict.do === 'approve' ? `the Mac that has the claim ${verdict.nodeName} asks` : verdict.why,
    lastUpdateTime: at,
    lastTransitionTime: at,
  } as const;
  const answered = { ...request, status: { ...request.status, conditions: [condition] } };
  await kube.update(CERTIFICATE_SIGNING_REQUESTS, answered, { subresource: 'approval', signal });
};

/** A token that was used is good for nothing more, and ends by itself. Not every cluster removes tokens that have ended. */
const retireToken = async (request: CertificateSigningRequest, context: ReconcileContext): Promise<Verdict> => {
  const { kube, clock, signal } = context;
  const key = tokenKeyOf(request);
  if (key === undefined) return { next: 'rest' };
  const decidedMs = parseTimestamp(request.status?.conditions?.[0]?.lastUpdateTime) ?? 0;
  const leftMs = decidedMs + TOKEN_LIFE_MS + CLEANING_MS - clock.now();
  if (leftMs > 0) return { next: 'again', afterMs: leftMs };
  const left = await readIfThere(SECRETS, key, context);
  if (left !== undefined) await ifThere(kube.delete(SECRETS, key, { signal }));
  return { next: 'rest' };
};
