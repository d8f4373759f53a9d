/** What every namespace has: the ServiceAccount `default`, and the certificate by which Pods know the API. */
import { isKind } from '../../../base/errors.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import {
  CONFIG_MAPS,
  type ConfigMap,
  type Namespace,
  SERVICE_ACCOUNTS,
  type ServiceAccount,
} from '../../../kube/types/core.ts';
import { type KubeObject, keyOf } from '../../../kube/types/meta.ts';
import { subjectOf } from '../watch-related.ts';

const isStaying = ({ metadata, status }: Namespace): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Terminating';

const namespaceOf = (object: KubeObject): readonly string[] => [object.metadata.namespace ?? ''];

/** A namespace that began to end meanwhile takes nothing new: that is no failure. */
const unlessGone = async (write: () => Promise<unknown>): Promise<void> => {
  try {
    await write();
  } catch (error) {
    if (!isKind(error, 'exists', 'not-found', 'denied')) throw error;
  }
};

const DEFAULT_ACCOUNT = 'default';

export interface ServiceAccountParts {
  readonly namespaces: Cache<Namespace>;
  readonly serviceAccounts: Cache<ServiceAccount>;
}

export const createServiceAccounts = ({ namespaces, serviceAccounts }: ServiceAccountParts): Controller =>
  createController({
    name: 'service-accounts',
    watches: [
      watchPrimary(namespaces),
      watchMapped(serviceAccounts, (change) => (change.type === 'deleted' ? namespaceOf(change.old) : [])),
    ],
    reconcile: async ({ key, kube, signal }) => {
      const namespace = namespaces.get(key);
      if (namespace === undefined || !isStaying(namespace)) return { next: 'rest' };
      if (serviceAccounts.get(`${key}/${DEFAULT_ACCOUNT}`) !== undefined) return { next: 'rest' };
      const account = { metadata: { namespace: key, name: DEFAULT_ACCOUNT } };
      await unlessGone(() => kube.create(SERVICE_ACCOUNTS, account, { signal }));
      return { next: 'rest' };
    },
  });

export const ROOT_CA_NAME = 'kube-root-ca.crt';
const ROOT_CA_KEY = 'ca.crt';
const DESCRIPTION = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

export interface RootCaParts {
  readonly namespaces: Cache<Namespace>;
  /** Those named kube-root-ca.crt. */
  readonly rootCas: Cache<ConfigMap>;
  /** PEM. */
  readonly rootCertificate: string;
}

export const createRootCaPublisher = (parts: RootCaParts): Controller =>
  createController({
    name: 'root-ca-publisher',
    watches: [watchPrimary(parts.namespaces), watchMapped(parts.rootCas, (change) => namespaceOf(subjectOf(change)))],
    reconcile: async (context) => {
      const namespace = parts.namespaces.get(context.key);
      if (namespace !== undefined && isStaying(namespace)) await publish(parts, context);
      return { next: 'rest' };
    },
  });

const publish = async (
  { rootCas, rootCertificate }: RootCaParts,
  { key, kube, signal }: ReconcileContext,
): Promise<void> => {
  const held = rootCas.get(`${key}/${ROOT_CA_NAME}`);
  const data = { [ROOT_CA_KEY]: rootCertificate };
  if (held === undefined) {
    const map = { metadata: { namespace: key, name: ROOT_CA_NAME, annotations: DESCRIPTION }, data };
    await unlessGone(() => kube.create(CONFIG_MAPS, map, { signal }));
    return;
  }
  if (held.data?.[ROOT_CA_KEY] === rootCertificate) return;
  const { uid, resourceVersion } = held.metadata;
  const body = { metadata: { uid, resourceVersion }, data };
  await kube.patch(CONFIG_MAPS, keyOf(held), { type: 'merge', body }, { signal });
};
