/** What this server serves, in the forms that clients ask for: aggregated discovery, and the older lists. */
import { createHash } from 'node:crypto';
import type { Fields } from '../../store/object.ts';
import { type ApiResponse, reply } from '../http.ts';
import type { Registry } from '../kinds/registry.ts';
import { isDeletedTogether, type ServedKind, type Subresource } from '../kinds/served-kind.ts';
import { UNSUPPORTED_KINDS, type UnsupportedKind } from '../kinds/unsupported-kinds.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const verbsOf = (kind: ServedKind): readonly string[] =>
  isDeletedTogether(kind) ? VERBS : VERBS.filter((verb) => verb !== 'deletecollection');
const SUBRESOURCE_VERBS: Readonly<Record<Subresource, readonly string[]>> = {
  status: ['get', 'patch', 'update'],
  scale: ['get', 'patch', 'update'],
  approval: ['get', 'patch', 'update'],
  finalize: ['update'],
  binding: ['create'],
  eviction: ['create'],
  log: ['get'],
  token: ['create'],
};
const SUBRESOURCE_KINDS: Readonly<
  Partial<Record<Subresource, Readonly<{ group: string; version: string; kind: string }>>>
> = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  binding: { group: '', version: 'v1', kind: 'Binding' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
};

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly ServedKind[];
  /** Reviews: they are answered, not stored. */
  readonly reviews: readonly Review[];
  /** Well-known kinds that are not served. */
  readonly unsupported: readonly UnsupportedKind[];
}

interface Review {
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

const review = (kind: string, scope: Review['scope'] = 'Cluster'): Review => ({
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope,
});

const REVIEWS: Readonly<Record<string, readonly Review[]>> = {
  'authentication.k8s.io/v1': [review('TokenReview'), review('SelfSubjectReview')],
  'authorization.k8s.io/v1': [
    ...['SubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview'].map((kind) => review(kind)),
    review('LocalSubjectAccessReview', 'Namespaced'),
  ],
};

export const groupVersionsOf = (registry: Registry): readonly GroupVersion[] => {
  const kinds = Map.groupBy(registry.all(), ({ resource }) => `${resource.group}/${resource.version}`);
  const unsupported = Map.groupBy(UNSUPPORTED_KINDS, ({ group, version }) => `${group}/${version}`);
  const names = new Set([...kinds.keys(), ...Object.keys(REVIEWS), ...unsupported.keys()]);
  return [...names].map((name) => {
    const [group = '', version = ''] = name.split('/');
    const known = {
      kinds: kinds.get(name) ?? [],
      reviews: REVIEWS[name] ?? [],
      unsupported: unsupported.get(name) ?? [],
    };
    return { group, version, ...known };
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
  resources: [...one.kinds.flatMap(renderResources), ...othersOf(one).map(renderOther)],
});

interface Other {
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
}

/** What has a name and no objects. Without verbs a client finds the kind, and `kubectl api-resources` leaves it out. */
const othersOf = ({ reviews, unsupported }: GroupVersion): readonly Other[] => [
  ...reviews.map((one) => ({ ...one, shortNames: [], verbs: ['create'] })),
  ...unsupported.map(({ kind, plural, scope, shortNames }) => ({ kind, plural, scope, shortNames, verbs: [] })),
];

const renderOther = ({ kind, plural, scope, shortNames, verbs }: Other): Fields => ({
  ...{ name: plural, singularName: kind.toLowerCase(), namespaced: scope === 'Namespaced', kind, verbs },
  ...(shortNames.length > 0 && { shortNames }),
});

/** Says to a client that migrates objects when they are stored in another version than before. */
const storageHashOf = ({ resource, storedAs = resource }: ServedKind): string =>
  createHash('sha256')
    .update(`${storedAs.group}/${storedAs.version}/${resource.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');

const renderResources = (served: ServedKind): readonly Fields[] => {
  const { resource, singular, shortNames, categories, subresources } = served;
  const { plural, kind, scope } = resource;
  const namespaced = scope === 'Namespaced';
  return [
    {
      ...{ name: plural, singularName: singular, namespaced, kind, verbs: verbsOf(served) },
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
      storageVersionHash: storageHashOf(served),
    },
    ...subresources.map((name) => ({
      ...{ name: `${plural}/${name}`, singularName: '', namespaced, kind, verbs: SUBRESOURCE_VERBS[name] },
      ...withoutEmpty(SUBRESOURCE_KINDS[name]),
    })),
  ];
};

/** A subresource of the core group does not say its group. */
const withoutEmpty = (named: (typeof SUBRESOURCE_KINDS)[Subresource]): Fields =>
  named === undefined ? {} : named.group === '' ? { kind: named.kind } : named;

const aggregated = (versions: readonly GroupVersion[]): ApiResponse => {
  const items = groupsOf(versions).map((ofGroup) => ({
    metadata: { ...(ofGroup[0]?.group !== '' && { name: ofGroup[0]?.group }), creationTimestamp: null },
    versions: ofGroup.map((one) => ({
      version: one.version,
      resources: [
        ...one.kinds.map(renderAggregated),
        ...othersOf(one).map((other) => renderAggregatedOther(one, other)),
      ],
      freshness: 'Current',
    })),
  }));
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  return { ...reply(200, body), headers: { 'content-type': AGGREGATED } };
};

const renderAggregatedOther = ({ group, version }: GroupVersion, other: Other): Fields => {
  const { kind, plural, scope, shortNames, verbs } = other;
  return {
    ...{ resource: plural, responseKind: { group, version, kind }, scope, singularResource: kind.toLowerCase(), verbs },
    ...(shortNames.length > 0 && { shortNames }),
  };
};

const renderAggregated = (served: ServedKind): Fields => {
  const { resource, singular, shortNames, categories, subresources } = served;
  const { group, version, kind, plural, scope } = resource;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(served),
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
