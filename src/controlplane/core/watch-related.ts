/** How a change of one object wakes the key of another, for all controllers here. */
import type { Cache } from '../../kube/cache/cache.ts';
import type { Change } from '../../kube/cache/object-store.ts';
import { type Watch, watchMapped } from '../../kube/controller/controller.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { controllerKeyOf } from './owner-references.ts';

/** The object that a change is about: as it is now, or as it was last. */
export const subjectOf = <T extends KubeObject>(change: Change<T>): T =>
  change.type === 'deleted' ? change.old : change.object;

/** Wakes those whom an object concerns, before the change and after it: who loses one must know as well as who gets one. */
export const watchBoth = <T extends KubeObject>(cache: Cache<T>, keysFor: (object: T) => readonly string[]): Watch =>
  watchMapped(cache, (change) => {
    const before = change.type === 'added' ? [] : keysFor(change.old);
    const after = change.type === 'deleted' ? [] : keysFor(change.object);
    return [...new Set([...before, ...after])];
  });

/** Wakes the controllers, of that kind, of what changes. */
export const watchControlled = <T extends KubeObject>(cache: Cache<T>, controllers: Resource<KubeObject>): Watch =>
  watchBoth(cache, (object) => controllerKeyOf(controllers, object));
