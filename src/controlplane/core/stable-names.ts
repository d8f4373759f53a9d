/**
 * Names for what a controller makes several of. They look like Kubernetes' generated ones, but follow from the owner: a
 * controller that repeats itself after a crash, a lost answer or with a stale cache meets its own object, not a second one.
 */
import { createIds } from '../../base/ids.ts';
import { createSeededRandom } from '../../base/random.ts';
import type { KubeObject } from '../../kube/types/meta.ts';

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
