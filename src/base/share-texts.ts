/**
 * Equal texts in what was parsed made one, among those that were seen last. A parser makes each text anew, and what a fleet says of itself are
 * the same few words a thousand times: names of kinds, reasons, messages, the time at which several things happened.
 */

/** Changes nothing but which of two equal texts stands there; the value is to be the caller's own, fresh from a parser. */
export type ShareTexts = <T>(value: T) => T;

/** Shorter ones the engine shares by itself; longer ones are hardly ever the same, and cost more to compare. */
const SHARED_CHARS_MIN = 11;
const SHARED_CHARS_MAX = 256;
/** In each of two halves: what is seen again moves to the newer one, and the older one is let go as a whole. */
const REMEMBERED_MAX = 4_096;

export const createTextSharing = (rememberedMax = REMEMBERED_MAX): ShareTexts => {
  let newer = new Map<string, string>();
  let older = newer;
  const shared = (text: string): string => {
    if (text.length < SHARED_CHARS_MIN || text.length > SHARED_CHARS_MAX) return text;
    const known = newer.get(text);
    if (known !== undefined) return known;
    const kept = older.get(text) ?? text;
    if (newer.size >= rememberedMax) [older, newer] = [newer, new Map()];
    newer.set(kept, kept);
    return kept;
  };
  const visit = (value: unknown): void => {
    if (!isHolder(value)) return;
    for (const key in value) {
      const item = value[key];
      // Equal texts cannot be told apart, so it is always put in its place.
      if (typeof item === 'string') value[key] = shared(item);
      else if (typeof item === 'object') visit(item);
    }
  };
  return (value) => {
    visit(value);
    return value;
  };
};

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
