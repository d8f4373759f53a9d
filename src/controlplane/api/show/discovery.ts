/** What this server serves, in the forms that clients ask for: aggregated discovery, and the older lists. */
import type { Fields } from '../../store/object.ts';
import { type ApiResponse, reply } from '../http.ts';
import type { Registry } from '../kinds/registry.ts';
import type { ServedKind, Subresource } from '../kinds/served-kind.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const SUBRESOURCE_VERBS: Readonly<Record<Subresource, readonly string[]>> = {
  status: ['get', 'patch', 'update'],
  scale: ['get', 'patch', 'update'],
  approval: ['get', 'patch', 'update'],
  finalize: ['update'],
  binding: ['create'],
  eviction: ['create'],
};
const SUBRESOURCE_KINDS: Readonly<
  Partial<Record<Subresource, Readonly<{ group: string; version: string; kind: string }>>>
> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  binding: { group: '', version: 'v1', kind: 'Binding' },
};

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly ServedKind[];
}

export const groupVersionsOf = (registry: Registry): readonly GroupVersion[] => {
  const byName = Map.groupBy(registry.all(), ({ resource }) => `${resource.group}/${resource.version}`);
  return [...byName.values()].flatMap((kinds) => {
    const [first] = kinds;
    return first === undefined ? [] : [{ group: first.resource.group, version: first.resource.version, kinds }];
  });
};

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Discovery of `/api`, `/apis`, `/api/v1` and `/apis/<group>[/<version>]`; undefined for other paths. */
export const discover = (registry: Registry, path: string, accept: string): ApiResponse | undefined => {
  const all = groupVersionsOf(registry);
  const core = all.filter(({ group }) => group === '');
  const named = all.filter(({ group }) => group !== '');
  const isAggregated = /g=apidiscovery\.k8s\.io\s*;\s*v=v2\s*;\s*as=APIGroupDiscoveryList/.test(accept);
  if (path === '/api') {
    if (isAggregated) return aggregated(core);
    return reply(200, { kind: 'APIVersions', versions: core.map(({ version }) => version) });
  }
  if (path === '/apis') {
    if (isAggregated) return aggregated(named);
    return reply(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsOf(named).map(renderGroup) });
  }
  const [, group, version] = /^\/(?:api|apis\/([^/]+))(?:\/([^/]+))?$/.exec(path) ?? [];
  const ofGroup = all.filter((one) => one.group === (group ?? ''));
  if (version !== undefined) {
    const found = ofGroup.find((one) => one.version === version);
    return found === undefined ? undefined : reply(200, renderResourceList(found));
  }
  const [whole] = group === undefined ? [] : groupsOf(ofGroup);
  return whole === undefined ? undefined : reply(200, { kind: 'APIGroup', apiVersion: 'v1', ...renderGroup(whole) });
};

const groupsOf = (versions: readonly GroupVersion[]): readonly (readonly GroupVersion[])[] => [
  ...Map.groupBy(versions, ({ group }) => group).values(),
];

const renderName = ({ group, version }: GroupVersion): string => (group === '' ? version : `${group}/${version}`);

const renderGroup = (versions: readonly GroupVersion[]): Fields => {
  const rendered = versions.map((one) => ({ groupVersion: renderName(one), version: one.version }));
  return { name: versions[0]?.group, versions: rendered, preferredVersion: rendered[0] };
};

const renderResourceList = (one: GroupVersion): Fields => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: renderName(one),
  resources: one.kinds.flatMap(renderResources),
});

const renderResources = ({
  resource,
  singular,
  shortNames,
  categories,
  subresources,
}: ServedKind): readonly Fields[] => {
  const { plural, kind, scope } = resource;
  const namespaced = scope === 'Namespaced';
  return [
    {
      ...{ name: plural, singularName: singular, namespaced, kind, verbs: VERBS },
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    ...subresources.map((name) => ({
      ...{ name: `${plural}/${name}`, singularName: '', namespaced, kind, verbs: SUBRESOURCE_VERBS[name] },
      ...SUBRESOURCE_KINDS[name],
    })),
  ];
};

const aggregated = (versions: readonly GroupVersion[]): ApiResponse => {
  const items = groupsOf(versions).map((ofGroup) => ({
    metadata: { name: ofGroup[0]?.group, creationTimestamp: null },
    versions: ofGroup.map(({ version, kinds }) => ({
      version,
      resources: kinds.map(renderAggregated),
      freshness: 'Current',
    })),
  }));
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  return { ...reply(200, body), headers: { 'content-type': AGGREGATED } };
};

const renderAggregated = ({ resource, singular, shortNames, categories, subresources }: ServedKind): Fields => {
  const { group, version, kind, plural, scope } = resource;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: VERBS,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((name) => ({
        subresource: name,
        responseKind: SUBRESOURCE_KINDS[name] ?? { group, version, kind },
        verbs: SUBRESOURCE_VERBS[name],
      })),
    }),
  };
};
