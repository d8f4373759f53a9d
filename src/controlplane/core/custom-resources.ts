/** CRDs as the controllers see them: what a kind is called, in which versions it is served, and nothing of its schema. */
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly scope?: 'Namespaced' | 'Cluster';
    readonly versions?: readonly { readonly name: string; readonly served?: boolean }[];
  };
}

export const CUSTOM_RESOURCE_DEFINITIONS: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** A CRD is large, and of it only its names and labels are read. */
export const keepNamesOnly = ({ metadata, spec }: CustomResourceDefinition): CustomResourceDefinition => {
  const { name, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  return {
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels !== undefined && { labels }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {
      group: spec.group,
      names: { kind: spec.names.kind, plural: spec.names.plural },
      ...(spec.scope !== undefined && { scope: spec.scope }),
      ...(spec.versions !== undefined && {
        versions: spec.versions.map(({ name, served }) => (served === undefined ? { name } : { name, served })),
      }),
    },
  };
};

/** The kind in a version that is served; undefined when none is. */
export const servedResource = ({ spec }: CustomResourceDefinition): Resource<KubeObject> | undefined => {
  const version = spec.versions?.find(({ served }) => served === true)?.name;
  if (version === undefined) return undefined;
  const { kind, plural } = spec.names;
  return { group: spec.group, version, kind, plural, scope: spec.scope ?? 'Namespaced' };
};
