/** CRDs as the controllers see them: what a kind is called, in which versions it is served, and nothing of its schema. */
import type { CustomResourceDefinition } from '../../kube/types/extensions.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

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
