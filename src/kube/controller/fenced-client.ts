/**
 * The client that a reconcile gets: reads pass through; a write is refused once leadership is gone, and what was
 * written is remembered as a fence for the key under work.
 */
import type { KubeClient, Permit } from '../client/client.ts';
import { type KubeObject, renderKey } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { Fences } from './fences.ts';

/** `permit` throws `cancelled` when this process may start no further effect; every write asks it before it is sent. */
export const createFencedClient = (
  client: KubeClient,
  scope: { readonly key: string; readonly fences: Fences; readonly permit: Permit },
): KubeClient => {
  const { key, fences, permit } = scope;
  const written = async <T extends KubeObject>(resource: Resource<T>, writing: Promise<T>): Promise<T> => {
    const object = await writing;
    fences.wrote(key, resource, object);
    return object;
  };
  return {
    get: client.get,
    list: client.list,
    watch: client.watch,
    getRaw: client.getRaw,
    create: (resource, object, options) => written(resource, client.create(resource, object, { ...options, permit })),
    update: (resource, object, options) => written(resource, client.update(resource, object, { ...options, permit })),
    patch: (resource, target, patch, options) =>
      written(resource, client.patch(resource, target, patch, { ...options, permit })),
    delete: async (resource, target, options) => {
      const deleted = fences.deleting(key, resource, renderKey(target));
      await client.delete(resource, target, { ...options, permit });
      deleted();
    },
    createSubresource: (resource, target, request) =>
      client.createSubresource(resource, target, { ...request, permit }),
  };
};
