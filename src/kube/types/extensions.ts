/** CustomResourceDefinitions: what a kind is called and where it is served, and nothing of its schema. */
import type { KubeObject } from './meta.ts';
import type { Resource } from './resource.ts';

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
