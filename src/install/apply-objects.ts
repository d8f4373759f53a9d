/** Applies objects in their order, as `kubectl apply --server-side` does. May be repeated. */
import { FleetError, isKind } from '../base/errors.ts';
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
  /** What becomes of fields that somebody else has set otherwise. */
  readonly conflicts: 'refuse' | 'take over';
  /** `try`: the server judges each and keeps nothing. */
  readonly mode: 'apply' | 'try';
  readonly onApplied: (object: KubeObject) => void;
}

/** What was applied before a failure stays, and is found as it is by the next attempt. */
export const applyObjects = async (
  objects: readonly KubeObject[],
  { client, fieldManager, conflicts, mode, onApplied }: Applying,
  signal: AbortSignal,
): Promise<void> => {
  for (const object of objects) {
    const { name, namespace } = object.metadata;
    const key = { name, ...(namespace === undefined ? {} : { namespace }) };
    try {
      const force = conflicts === 'take over' ? ({ force: true } as const) : {};
      const options = { fieldManager, signal, ...(mode === 'try' ? ({ dryRun: 'All' } as const) : {}) };
      await client.patch(resourceOf(object), key, { type: 'apply', body: object, ...force }, options);
    } catch (thrown) {
      if (!isNamespaceToCome(thrown, mode, objects)) throw explain(object, thrown);
    }
    onApplied(object);
  }
};

/** What is only tried leaves no namespace behind for what comes after it. */
const isNamespaceToCome = (thrown: unknown, mode: Applying['mode'], objects: readonly KubeObject[]): boolean =>
  mode === 'try' && isKind(thrown, 'not-found') && objects.some(({ kind }) => kind === 'Namespace');

const explain = (object: KubeObject, thrown: unknown): unknown => {
  if (!(thrown instanceof FleetError) || thrown.kind !== 'denied') return thrown;
  if (thrown.code === 'FieldConflict') return conflict(object, thrown);
  return new FleetError('denied', {
    code: 'InstallForbidden',
    message: `this login may not apply ${nameObject(object)}: ${thrown.message}`,
    hint: 'Installing takes an administrator of the cluster: it creates kinds, roles and policies. What was applied so far is harmless; run it again as one.',
    cause: thrown,
  });
};

const conflict = (object: KubeObject, cause: FleetError): FleetError =>
  new FleetError('denied', {
    code: 'InstallConflict',
    message: `somebody else has set fields of ${nameObject(object)} otherwise`,
    hint: 'Ask whoever that is: Helm, Argo CD and kubectl sign with their names. To take the fields over run it again with --force-conflicts; what was applied so far stays.',
    cause,
  });
