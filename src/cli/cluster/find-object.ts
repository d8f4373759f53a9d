/** The one object that a person means: by its name in any namespace, and a Mac also by what it is known under. */
import { FleetError } from '../../base/errors.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { MAC_HOSTS } from '../fleet/resources.ts';

export interface Finding {
  readonly client: Pick<KubeClient, 'list'>;
  /** Absent: any. */
  readonly namespace?: string | undefined;
  readonly signal: AbortSignal;
}

export const findObject = async <T extends KubeObject>(
  resource: Resource<T>,
  name: string,
  { client, namespace, signal }: Finding,
): Promise<T> => {
  const within = namespace === undefined ? {} : { namespace };
  const fieldSelector = `metadata.name=${name}`;
  const { items } = await client.list(resource, { ...within, fieldSelector, signal });
  return theOne(items, { kind: resource.kind, name, namespace });
};

/** By the id of its server or the beginning of it, by its machine or Node, or by its name at Scaleway. */
export const findHost = async (name: string, { client, signal }: Finding): Promise<MacHost> => {
  const { items } = await client.list(MAC_HOSTS, { signal });
  const exact = items.filter(({ metadata }) => metadata.name === name);
  const wanted = exact.length > 0 ? exact : items.filter((host) => isKnownAs(host, name));
  return theOne(wanted, { kind: MAC_HOSTS.kind, name });
};

const PREFIX_LEAST = 4;

const isKnownAs = ({ metadata, spec, status }: MacHost, name: string): boolean =>
  spec.claimRef?.name === name ||
  status?.server?.name === name ||
  (name.length >= PREFIX_LEAST && metadata.name.startsWith(name));

interface Wanted {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

const theOne = <T extends KubeObject>(items: readonly T[], { kind, name, namespace }: Wanted): T => {
  const [first, ...others] = items;
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined) {
    const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
    throw new FleetError('not-found', {
      code: 'NoSuchObject',
      message: `there is no ${kind} "${name}"${where}`,
      hint: '`macfleet status` names all Macs and what waits, `kubectl get machines,pods,jobs -A` the rest; check -n and --context.',
    });
  }
  throw new FleetError('invalid', {
    code: 'AmbiguousName',
    message: `${items.length} objects of kind ${kind} answer to "${name}": ${items.map((item) => renderKey(keyOf(item))).join(', ')}`,
    hint: 'Name the namespace with -n, or write more of the id.',
  });
};
