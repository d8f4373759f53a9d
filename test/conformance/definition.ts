/** Definitions of small kinds, as cases send them. */

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const definition = (plural: string, version: object = {}, spec: object = {}) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: `${plural}.made.macfleet.dev` },
  spec: {
    ...{ group: 'made.macfleet.dev', scope: 'Namespaced', names: { plural, kind: `K${plural}` } },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        ...version,
      },
    ],
    ...spec,
  },
});
export const schema = (properties: object) => ({ schema: { openAPIV3Schema: { type: 'object', properties } } });
