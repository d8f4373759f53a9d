/**
 * What an agent may write (the plugin NodeRestriction): its own Node and Lease, the status of Pods that are bound to it,
 * tokens for them. Authorization has let the kind of request through; this looks at the object.
 */
import { NODE_LEASE_NAMESPACE } from '../../../auth/node/authorize-node.ts';
import { nodeNameOf } from '../../../auth/user.ts';
import { fieldsOf } from '../../../store/object.ts';
import { type Admit, refusedWrite, resourceOf } from '../plugin.ts';
import { parseRequest } from '../signing-request.ts';
import { judgeNode } from './judge-node.ts';
import { judgePod } from './judge-pod.ts';
import { judgeToken } from './judge-token.ts';
import type { Judge } from './verdict.ts';

const NODE_SIGNERS: readonly unknown[] = [
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
];

export const restrictNodes: Admit = (write, deps) => {
  const nodeName = nodeNameOf(write.user);
  if (nodeName === undefined) return;
  if (nodeName === '') throw refusedWrite(write, `could not determine node from user "${write.user.name}"`);
  const why = JUDGES.get(resourceOf(write))?.(write, nodeName, deps);
  if (why !== undefined) throw refusedWrite(write, why);
};

const judgeLease: Judge = ({ namespace, name }, nodeName) => {
  if (namespace !== NODE_LEASE_NAMESPACE)
    return `can only access leases in the "${NODE_LEASE_NAMESPACE}" system namespace`;
  return name === nodeName ? undefined : 'can only access node lease with the same name as the requesting node';
};

const judgeSigningRequest: Judge = ({ operation, object }, nodeName) => {
  if (operation !== 'CREATE') return undefined;
  const { signerName, request } = fieldsOf(object?.['spec']);
  if (!NODE_SIGNERS.includes(signerName)) return undefined;
  const parsed = parseRequest(request);
  if (parsed.is === 'bad') return `unable to parse csr: ${parsed.why}`;
  const wanted = `system:node:${nodeName}`;
  return parsed.csr.commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
};

const judgeClaim: Judge = ({ subresource, operation }) => {
  if (subresource !== 'status') return 'may only update PVC status';
  return operation === 'UPDATE' ? undefined : `unexpected operation "${operation}"`;
};

const JUDGES: ReadonlyMap<string, Judge> = new Map([
  ['pods', judgePod],
  ['nodes', judgeNode],
  ['serviceaccounts', judgeToken],
  ['persistentvolumeclaims', judgeClaim],
  ['leases.coordination.k8s.io', judgeLease],
  ['certificatesigningrequests.certificates.k8s.io', judgeSigningRequest],
]);
