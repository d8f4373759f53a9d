/** A kind of a test's own: with status, conditions and a definition that only this test knows. */
import { neverAborted } from '../../../src/base/abort.ts';
import type { Condition, KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import { eventually, type Scene } from './scene.ts';

export interface Gadget extends KubeObject {
  readonly spec?: { readonly size?: number };
  readonly status?: { readonly built?: number; readonly conditions?: readonly Condition[] };
}

const DEFINITIONS: Resource<KubeObject> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

/** Defines the kind in a group of this test alone; settles when the server serves it. */
export const defineGadgets = async (scene: Scene): Promise<Resource<Gadget>> => {
  const { client, namespace, signal } = scene;
  const group = `${namespace}.example.com`;
  const gadgets: Resource<Gadget> = { group, version: 'v1', kind: 'Gadget', plural: 'gadgets', scope: 'Namespaced' };
  const definition = { metadata: { name: `gadgets.${group}` }, spec: specOf(gadgets) };
  await client.create(DEFINITIONS, definition, { signal });
  scene.undo(() => client.delete(DEFINITIONS, definition.metadata, { signal: neverAborted() }));
  await eventually('gadgets are served', () => client.list(gadgets, { namespace, signal }).catch(() => undefined));
  return gadgets;
};

const specOf = ({ group, version, kind, plural, scope }: Resource<Gadget>) => ({
  group,
  scope,
  names: { kind, plural },
  versions: [
    {
      name: version,
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: anyObject, status: anyObject } } },
    },
  ],
});

const anyObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
