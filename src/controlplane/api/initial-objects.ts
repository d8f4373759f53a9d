/** Objects that every cluster has from the start: its own namespaces, and the two priorities that Kubernetes keeps for itself. */
import { FleetError } from '../../base/errors.ts';
import { ADMIN } from '../auth/user.ts';
import { keyFor, type Store } from '../store/store.ts';
import type { ApiRequest, ApiResponse } from './http.ts';
import { collectionOf } from './kinds/served-kind.ts';
import { SYSTEM_PRIORITIES } from './kinds/system-priorities.ts';

interface Initial {
  readonly path: string;
  readonly collection: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const INITIAL: readonly Initial[] = [
  ...NAMESPACES.map((name) => ({
    path: '/api/v1/namespaces',
    collection: collectionOf({ group: '', plural: 'namespaces' }),
    object: { metadata: { name } },
  })),
  ...SYSTEM_PRIORITIES.map(({ name, ...fields }) => ({
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    collection: collectionOf({ group: 'scheduling.k8s.io', plural: 'priorityclasses' }),
    object: { metadata: { name }, ...fields },
  })),
];

/** What is missing is made; what is there is left alone. */
export const createInitialObjects = (store: Store, handle: (request: ApiRequest) => ApiResponse): void => {
  const headers = { 'user-agent': 'kube-apiserver' };
  for (const { path, collection, object } of INITIAL) {
    if (store.get(collection, keyFor(undefined, object.metadata.name)) !== undefined) continue;
    const { status, body } = handle({ method: 'POST', path, headers, body: JSON.stringify(object), user: ADMIN });
    if (status !== 201) throw cannotBegin(`${path}/${object.metadata.name}: ${String(body)}`);
  }
};

const cannotBegin = (why: string): FleetError =>
  new FleetError('bug', {
    code: 'InitialObjectRefused',
    message: `the server refuses an object that it begins with: ${why}`,
    hint: 'Report this with the data directory, if there is one.',
  });
