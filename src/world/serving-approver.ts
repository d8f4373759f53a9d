/**
 * Approves the certificates that agents serve logs with. Kubernetes itself never does: only who knows a Node can say whether
 * an address is its own. Here a Node may have what it reports about itself, because all of them are simulated; a fleet of
 * real Macs asks the provider.
 */
import { toTimestamp } from '../base/clock.ts';
import { isKind, messageOf } from '../base/errors.ts';
import { type Cache, createCache, dropManagedFields } from '../kube/cache/cache.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../kube/controller/controller.ts';
import { createManager, type ManagerOptions } from '../kube/manager/manager.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../kube/types/certificates.ts';
import { NODES, type Node } from '../kube/types/core.ts';
import { type Csr, parseCsr } from '../pki/csr.ts';
import { SERVING_SIGNER } from '../sim/node/serving-certificate.ts';

export const runServingApprover = (
  deps: Pick<ManagerOptions, 'client' | 'clock' | 'random' | 'logger'>,
  signal: AbortSignal,
): Promise<void> => {
  const common = { ...deps, transform: dropManagedFields };
  const requests = createCache<CertificateSigningRequest>({ ...common, resource: CERTIFICATE_SIGNING_REQUESTS });
  const nodes = createCache<Node>({ ...common, resource: NODES });
  const controllers = [createServingApprover({ requests, nodes })];
  return createManager({ ...deps, name: 'serving-approver', caches: [requests, nodes], controllers }).run(signal);
};

interface ApproverParts {
  readonly requests: Cache<CertificateSigningRequest>;
  readonly nodes: Cache<Node>;
}

const isOpen = ({ spec, status }: CertificateSigningRequest): boolean =>
  spec.signerName === SERVING_SIGNER && (status?.conditions ?? []).length === 0;

const USER_PREFIX = 'system:node:';

const createServingApprover = ({ requests, nodes }: ApproverParts): Controller =>
  createController({
    name: 'serving-approver',
    watches: [
      watchPrimary(requests),
      // A Node may ask before it has told its addresses.
      watchMapped(nodes, () => requests.list().flatMap((one) => (isOpen(one) ? [one.metadata.name] : []))),
    ],
    reconcile: async ({ key, kube, clock, logger, signal }) => {
      const request = requests.get(key);
      if (request === undefined || !isOpen(request)) return { next: 'rest' };
      const { username = '' } = request.spec;
      const problem = judgeServing(request, nodes.get(username.slice(USER_PREFIX.length)));
      if (problem !== undefined) {
        logger.info('Not approved', { request: key, problem });
        return { next: 'rest' };
      }
      const at = toTimestamp(clock.now());
      const condition = {
        ...({ type: 'Approved', status: 'True', reason: 'AddressesKnown' } as const),
        ...{ message: `the addresses are those of Node ${username}`, lastUpdateTime: at, lastTransitionTime: at },
      };
      const decided = { ...request, status: { ...request.status, conditions: [condition] } };
      await kube.update(CERTIFICATE_SIGNING_REQUESTS, decided, { subresource: 'approval', signal });
      return { next: 'rest' };
    },
  });

/** Why a request is not approved; undefined when it asks for nothing but the Node's own name and addresses. */
export const judgeServing = ({ spec }: CertificateSigningRequest, node: Node | undefined): string | undefined => {
  const csr = readRequest(spec.request);
  if (typeof csr === 'string') return csr;
  if (csr.commonName !== spec.username) return `${spec.username} asks for ${csr.commonName}`;
  if (node === undefined) return 'its Node is not there';
  const known = new Set((node.status?.addresses ?? []).map(({ address }) => address));
  const foreign = [...csr.dnsNames, ...csr.ipAddresses].filter((name) => !known.has(name));
  return foreign.length === 0 ? undefined : `${foreign.join(', ')} is no address of the Node`;
};

const readRequest = (request: string): Csr | string => {
  try {
    return parseCsr(Buffer.from(request, 'base64').toString());
  } catch (error) {
    if (isKind(error, 'invalid')) return messageOf(error);
    throw error;
  }
};
