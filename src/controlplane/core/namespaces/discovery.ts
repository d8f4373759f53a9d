/** Which namespaced kinds an API serves that can be listed and deleted: asked of the API itself, so that none is missed. */
import { FleetError, toFleetError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/json.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import type { KubeObject } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';

export interface Discovered {
  readonly resources: readonly Resource<KubeObject>[];
  /** Groups that could not be asked, with why: what is in them is unknown, not absent. */
  readonly failures: readonly string[];
}

export const discoverNamespaced = async (
  kube: Pick<KubeClient, 'getRaw'>,
  signal: AbortSignal,
): Promise<Discovered> => {
  const groups = parseGroups(await kube.getRaw('/apis', { signal }));
  const resources: Resource<KubeObject>[] = [];
  const failures: string[] = [];
  for (const { group, version } of [{ group: '', version: 'v1' }, ...groups]) {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      resources.push(...parseResources(await kube.getRaw(path, { signal }), { group, version }));
    } catch (thrown) {
      failures.push(`${group}/${version}: ${toFleetError(thrown).message}`);
    }
  }
  return { resources, failures };
};

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

const recordsIn = (value: unknown, field: string): readonly Readonly<Record<string, unknown>>[] => {
  const list = isRecord(value) ? value[field] : undefined;
  if (Array.isArray(list)) return list.filter(isRecord);
  throw new FleetError('contract', {
    code: 'DiscoveryUnreadable',
    message: `the answer to discovery has no list "${field}"`,
    hint: 'Check that this is the address of a Kubernetes API.',
  });
};

/** The preferred version of every group: each object is in all versions of its group. */
const parseGroups = (value: unknown): readonly GroupVersion[] =>
  recordsIn(value, 'groups').flatMap(({ name, preferredVersion }) => {
    const version = isRecord(preferredVersion) ? preferredVersion['version'] : undefined;
    return typeof name === 'string' && typeof version === 'string' ? [{ group: name, version }] : [];
  });

const parseResources = (value: unknown, groupVersion: GroupVersion): readonly Resource<KubeObject>[] =>
  recordsIn(value, 'resources').flatMap(({ name, kind, namespaced, verbs }) => {
    const isFit =
      namespaced === true && Array.isArray(verbs) && ['list', 'delete'].every((verb) => verbs.includes(verb));
    if (!isFit || typeof name !== 'string' || typeof kind !== 'string' || name.includes('/')) return [];
    return [{ ...groupVersion, kind, plural: name, scope: 'Namespaced' }];
  });
