/**
 * The client that a reconcile gets: reads pass through; a write is refused once leadership is gone, and what was
 * written is remembered as a fence for the key under work.
 */
import type { KubeClient } from '../client/client.ts';
import { type KubeObject, renderKey } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { Fences } from './fences.ts';

/** Throws `cancelled` when this process may start no further effect: asked right before every one of them. */
export type Permit = () => void;

export const createFencedClient = (
  client: KubeClient,
  scope: { readonly key: string; readonly fences: Fences; readonly permit: Permit },
): KubeClient => {
  const { key, fences, permit } = scope;
  const written = async <T extends KubeObject>(resource: Resource<T>, write: () => Promise<T>): Promise<T> => {
    permit();
    const object = await write();
    fences.wrote(key, resource, object);
    return object;
  };
  return {
    get: client.get,
    list: client.list,
    watch: client.watch,
    getRaw: client.getRaw,
    create: (resource, object, options) => written(resource, () => client.create(resource, object, options)),
    update: (resource, object, options) => written(resource, () => client.update(resource, object, options)),
    patch: (resource, target, patch, options) =>
      written(resource, () => client.patch(resource, target, patch, options)),
    delete: async (resource, target, options) => {
      permit();
      await client.delete(resource, target, options);
      fences.deleted(key, resource, renderKey(target));
    },
    createSubresource: (resource, target, request) => {
      permit();
      return client.createSubresource(resource, target, request);
    },
  };
};
