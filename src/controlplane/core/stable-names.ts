/**
 * Names for what a controller makes several of. They look like Kubernetes' generated ones, but follow from the owner: a
 * controller that repeats itself after a crash, a lost answer or with a stale cache meets its own object, not a second one.
 */
import { createIds } from '../../base/ids.ts';
import { createSeededRandom } from '../../base/random.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';

const SUFFIX_LENGTH = 5;
/** A name must also fit into a label value, with a dash and the suffix. */
const BASE_LENGTH_MAX = 63 - 1 - SUFFIX_LENGTH;

/** `count` names that belong to the owner and that none of `taken` has. */
export const planNames = (owner: KubeObject, count: number, taken: ReadonlySet<string>): readonly string[] => {
  const names = new Set<string>();
  for (let ordinal = 0; names.size < count; ordinal += 1) {
    const suffix = createIds(createSeededRandom(`${owner.metadata.uid}/${ordinal}`)).suffix(SUFFIX_LENGTH);
    const name = `${owner.metadata.name.slice(0, BASE_LENGTH_MAX)}-${suffix}`;
    if (!taken.has(name)) names.add(name);
  }
  return [...names];
};

/** Names that an owner's objects have had, as far as this process has seen. */
export interface UsedNames {
  /** Remembers these too, and answers all. */
  add(owner: KubeObject, names: readonly string[]): ReadonlySet<string>;
  /** The owner, by its key, is no more. */
  forget(key: string): void;
}

/** Of one owner; the oldest are given free again. */
const REMEMBERED_MAX = 1_000;

/** A name is not given to a second object: somebody may be waiting for the end of the first. */
export const createUsedNames = (): UsedNames => {
  const owners = new Map<string, { readonly uid: string | undefined; readonly names: Set<string> }>();
  return {
    add: (owner, names) => {
      const key = renderKey(keyOf(owner));
      const { uid } = owner.metadata;
      const known = owners.get(key);
      const used = known?.uid === uid && known !== undefined ? known.names : new Set<string>();
      for (const name of names) used.add(name);
      for (const name of used) {
        if (used.size <= Math.max(REMEMBERED_MAX, names.length)) break;
        if (!names.includes(name)) used.delete(name);
      }
      owners.set(key, { uid, names: used });
      return used;
    },
    forget: (key) => void owners.delete(key),
  };
};
