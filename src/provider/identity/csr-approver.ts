/**
 * Approves or denies what Macs ask the certificates API for (judge-request.ts). Before it approves, it puts on record until
 * when the Mac has an identity, and makes the token good for this request only; a crash in between changes nothing.
 */
import { createHash } from 'node:crypto';
import { toTimestamp } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { nodeNameOf, SIGNERS } from '../../kube/certificates/node-request.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../kube/types/certificates.ts';
import { SECRETS, type Secret } from '../../kube/types/core.ts';
import { type Csr, parseCsr } from '../../pki/csr.ts';
import { JOIN_GROUP, markUsed, parseToken, TOKEN_NAMESPACE, tokenIdOf, tokenNameOf } from './join-token.ts';
import {
  CERTIFICATE_LIFE_MS,
  claimedNameOf,
  judgeRequest,
  type RequestVerdict,
  type RequestView,
} from './judge-request.ts';

interface ApproverCaches {
  /** Index `key`: by `keyOfRequest`. */
  readonly requests: Cache<CertificateSigningRequest>;
  /** Index `node`: by the name in `spec.claimRef`. */
  readonly hosts: Cache<MacHost>;
}

export interface ApproverParts extends ApproverCaches {
  /** Where a Mac may serve besides its own address: on the loopback, for Macs that are simulated there. */
  readonly servingAddresses: readonly string[];
}

export const createCsrApprover = (parts: ApproverParts): Controller =>
  createController({
    name: 'certificatesigningrequests.approval',
    watches: [watchPrimary(parts.requests)],
    reconcile: (context) => decide(parts, context),
  });

const decide = async (parts: ApproverParts, context: ReconcileContext): Promise<Verdict> => {
  const request = parts.requests.get(context.key);
  if (request === undefined || (request.status?.conditions?.length ?? 0) > 0) return { next: 'rest' };
  const tokenSecret = await findToken(request, context);
  const view = viewOf(parts, request, tokenSecret);
  const verdict = judgeRequest(view);
  if (verdict.do === 'ignore') return { next: 'rest' };
  if (verdict.do === 'approve') await prepareApproval({ request, tokenSecret, host: view.host }, context);
  await answer(request, verdict, context);
  if (verdict.do === 'approve' && tokenSecret !== undefined) await removeToken(tokenSecret, context);
  return { next: 'rest' };
};

const viewOf = (
  { requests, hosts, servingAddresses }: ApproverParts,
  request: CertificateSigningRequest,
  tokenSecret: Secret | undefined,
): RequestView => {
  const token = tokenSecret === undefined ? undefined : parseToken(tokenSecret);
  const csr = readCsr(request);
  const [host] = hosts.byIndex('node', claimedNameOf(request, token) ?? '');
  const addresses = [...servingAddresses, host?.status?.server?.address ?? ''];
  return {
    request,
    csr,
    token,
    host,
    addresses,
    keyHolders: csr === undefined ? [] : keyHoldersOf(requests, request, csr),
  };
};

const readCsr = ({ spec }: CertificateSigningRequest): Csr | undefined => {
  try {
    return parseCsr(Buffer.from(spec.request, 'base64').toString());
  } catch (error) {
    if (isKind(error, 'invalid')) return undefined;
    throw error;
  }
};

/** What tells one key from another; empty for a request that cannot be read. */
export const keyOfRequest = (request: CertificateSigningRequest): string => {
  const der = readCsr(request)?.publicKey.export({ format: 'der', type: 'spki' });
  return der === undefined ? '' : createHash('sha256').update(der).digest('hex');
};

/** Nodes of another name whose request for this very key was approved. */
const keyHoldersOf = (
  requests: Cache<CertificateSigningRequest>,
  request: CertificateSigningRequest,
  { commonName }: Csr,
): readonly string[] =>
  requests
    .byIndex('key', keyOfRequest(request))
    .filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Approved') === true)
    .flatMap((other) => {
      const name = readCsr(other)?.commonName;
      const nodeName = nodeNameOf(name);
      return name === commonName || nodeName === undefined ? [] : [nodeName];
    });

const findToken = async (
  { spec }: CertificateSigningRequest,
  { kube, signal }: ReconcileContext,
): Promise<Secret | undefined> => {
  // Tokens of others are none of our business, nor may we read them.
  const id = spec.groups?.includes(JOIN_GROUP) === true ? tokenIdOf(spec.username) : undefined;
  if (id === undefined) return undefined;
  try {
    return await kube.get(SECRETS, { namespace: TOKEN_NAMESPACE, name: tokenNameOf(id) }, { signal });
  } catch (error) {
    if (isKind(error, 'not-found')) return undefined;
    throw error;
  }
};

interface Approval {
  readonly request: CertificateSigningRequest;
  readonly tokenSecret: Secret | undefined;
  readonly host: MacHost | undefined;
}

const prepareApproval = async (
  { request, tokenSecret, host }: Approval,
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  // A certificate to serve with makes nobody a Node; and whose identity does not end is not given an end.
  const isIdentity = request.spec.signerName === SIGNERS.kubeletClient;
  if (host !== undefined && isIdentity && (tokenSecret ?? host.spec.identity) !== undefined) {
    const expiresAt = toTimestamp(clock.now() + CERTIFICATE_LIFE_MS);
    const { name, uid, resourceVersion } = host.metadata;
    const body = {
      metadata: { uid, resourceVersion },
      spec: { identity: { nodeName: host.spec.claimRef?.name ?? '', expiresAt } },
    };
    await kube.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal });
  }
  if (tokenSecret === undefined) return;
  const { uid, resourceVersion, name } = tokenSecret.metadata;
  const body = { metadata: { uid, resourceVersion, annotations: markUsed(request.metadata.uid ?? '') } };
  await kube.patch(SECRETS, { namespace: TOKEN_NAMESPACE, name }, { type: 'merge', body }, { signal });
};

const answer = async (
  request: CertificateSigningRequest,
  verdict: Exclude<RequestVerdict, { do: 'ignore' }>,
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

/** It has served; without this it would live on until it expires, of no use to anybody. */
const removeToken = async ({ metadata }: Secret, { kube, signal }: ReconcileContext): Promise<void> => {
  try {
    await kube.delete(SECRETS, { namespace: TOKEN_NAMESPACE, name: metadata.name }, { signal });
  } catch (error) {
    if (!isKind(error, 'not-found')) throw error;
  }
};
