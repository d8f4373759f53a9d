/** CustomResourceDefinitions: only that they are there. */
import type { KubeObject } from './meta.ts';
import type { Resource } from './resource.ts';

export const CUSTOM_RESOURCE_DEFINITIONS: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};
