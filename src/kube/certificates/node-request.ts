/** What a Node may ask the certificates API for, as Kubernetes' own signers judge it. Pure. */

export const SIGNERS = {
  client: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
} as const;

export const CLIENT_USAGES: readonly string[] = ['client auth', 'digital signature', 'key encipherment'];
const SERVING_USAGES: readonly string[] = ['digital signature', 'key encipherment', 'server auth'];
const NODE_PREFIX = 'system:node:';
const NODE_GROUP = 'system:nodes';

/** The names in a request. */
export interface RequestedNames {
  readonly commonName?: string | undefined;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  readonly wantsCa: boolean;
}

/** The Node that a user or a subject stands for; undefined when it stands for none. */
export const nodeNameOf = (user: string | undefined): string | undefined =>
  user?.startsWith(NODE_PREFIX) && user.length > NODE_PREFIX.length ? user.slice(NODE_PREFIX.length) : undefined;

export const isSubset = (part: readonly string[], whole: readonly string[]): boolean =>
  part.every((item) => whole.includes(item));

/** All of them; only the one for RSA keys may be missing. */
const isExactly = (usages: readonly string[], wanted: readonly string[]): boolean =>
  isSubset(usages, wanted) &&
  isSubset(
    wanted.filter((usage) => usage !== 'key encipherment'),
    usages,
  );

const findNodeFault = ({ commonName = '', organizations }: RequestedNames): string | undefined => {
  if (organizations.length !== 1 || organizations[0] !== NODE_GROUP) return 'subject organization is not system:nodes';
  return commonName.startsWith(NODE_PREFIX) ? undefined : 'subject common name does not begin with system:node: ';
};

/** Why the signer of a Node's client certificates refuses; undefined when it signs. */
export const findKubeletClientFault = (csr: RequestedNames, usages: readonly string[]): string | undefined => {
  if (csr.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (csr.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (csr.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (csr.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const fault = findNodeFault(csr);
  if (fault !== undefined) return fault;
  return isExactly(usages, CLIENT_USAGES) ? undefined : `usages did not match [${CLIENT_USAGES.join(' ')}]`;
};

/** The same for a Node's serving certificates. */
export const findKubeletServingFault = (csr: RequestedNames, usages: readonly string[]): string | undefined => {
  if (csr.dnsNames.length + csr.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (csr.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (csr.uris.length > 0) return 'URI subjectAltNames are not allowed';
  const fault = findNodeFault(csr);
  if (fault !== undefined) return fault;
  return isExactly(usages, SERVING_USAGES) ? undefined : `usages did not match [${SERVING_USAGES.join(' ')}]`;
};
