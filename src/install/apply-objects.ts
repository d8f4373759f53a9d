/** Applies objects in their order, as `kubectl apply --server-side --force-conflicts` does. May be repeated. */
import { FleetError } from '../base/errors.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';

/** A plural by the rule that every kind here follows. */
const pluralOf = (kind: string): string => {
  const singular = kind.toLowerCase();
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
};

const resourceOf = ({ apiVersion = '', kind = '', metadata }: KubeObject): Resource<KubeObject> => {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return {
    group,
    version,
    kind,
    plural: pluralOf(kind),
    scope: metadata.namespace === undefined ? 'Cluster' : 'Namespaced',
  };
};

export const nameObject = ({ kind = '', metadata }: KubeObject): string => `${kind.toLowerCase()}/${metadata.name}`;

export interface Applying {
  readonly client: Pick<KubeClient, 'patch'>;
  readonly fieldManager: string;
  readonly onApplied: (object: KubeObject) => void;
}

/** What was applied before a failure stays, and is found as it is by the next attempt. */
export const applyObjects = async (
  objects: readonly KubeObject[],
  { client, fieldManager, onApplied }: Applying,
  signal: AbortSignal,
): Promise<void> => {
  for (const object of objects) {
    const { name, namespace } = object.metadata;
    const key = { name, ...(namespace === undefined ? {} : { namespace }) };
    try {
      const patch = { type: 'apply', body: object, force: true } as const;
      await client.patch(resourceOf(object), key, patch, { fieldManager, signal });
    } catch (thrown) {
      throw explain(object, thrown);
    }
    onApplied(object);
  }
};

const explain = (object: KubeObject, thrown: unknown): unknown => {
  if (!(thrown instanceof FleetError) || thrown.kind !== 'denied') return thrown;
  return new FleetError('denied', {
    code: 'InstallForbidden',
    message: `this login may not apply ${nameObject(object)}: ${thrown.message}`,
    hint: 'Installing takes an administrator of the cluster: it creates kinds, roles and policies. What was applied so far is harmless; run it again as one.',
    cause: thrown,
  });
};
