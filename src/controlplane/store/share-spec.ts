/** Equal specs made one object, among those that were seen last: Pods of one template have the same. */
import { createRecent } from '../../base/recent.ts';

export type ShareSpec = <T extends object>(object: T) => T;

const REMEMBERED_MAX = 256;

/** The object, with the spec of one that was seen before when they are equal. Nobody may change either. */
export const createSpecSharing = (rememberedMax = REMEMBERED_MAX): ShareSpec => {
  const share = createRecent<unknown>(rememberedMax);
  return (object) => {
    if (!('spec' in object)) return object;
    const { spec } = object;
    return { ...object, spec: share(JSON.stringify(spec), spec) };
  };
};
