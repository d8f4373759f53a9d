/** A kind as the CustomResourceDefinition that teaches it to an API server. */
import type { KubeObject } from '../../kube/types/meta.ts';
import { apiVersionOf } from '../../kube/types/resource.ts';
import type { Kind } from './kind.ts';
import { type StructuralSchema, toStructuralSchema } from './structural.ts';

export const toCustomResourceDefinition = (kind: Kind<KubeObject>) => {
  const { group, version, plural, scope } = kind.resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(Object.keys(kind.labels).length > 0 && { labels: kind.labels }) },
    spec: {
      group,
      scope,
      names: namesOf(kind),
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          additionalPrinterColumns: kind.columns,
          subresources: { status: {}, ...(kind.scale !== undefined && { scale: kind.scale }) },
          schema: { openAPIV3Schema: toObjectSchema(kind) },
        },
      ],
    },
  };
};

const namesOf = ({ resource, shortName, categories }: Kind<KubeObject>) => ({
  kind: resource.kind,
  listKind: `${resource.kind}List`,
  plural: resource.plural,
  singular: resource.kind.toLowerCase(),
  shortNames: [shortName],
  ...(categories.length > 0 && { categories }),
});

/** The schema of the whole object: ours, and around it what every Kubernetes object has. */
export const toObjectSchema = (kind: Kind<KubeObject>): StructuralSchema => {
  const spec = toStructuralSchema(kind.fields.spec);
  return {
    type: 'object',
    description: kind.description,
    properties: {
      apiVersion: {
        type: 'string',
        description: `Version of the schema this object follows: ${apiVersionOf(kind.resource)}.`,
      },
      kind: { type: 'string', description: `Kind of this object: ${kind.resource.kind}.` },
      metadata: { type: 'object' },
      spec,
      status: toStructuralSchema(kind.fields.status),
    },
    ...(spec.default === undefined && { required: ['spec'] }),
    ...(kind.rules !== undefined && { 'x-kubernetes-validations': kind.rules }),
  };
};
