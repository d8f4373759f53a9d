/**
 * Rebuilding a value from its parts, without a copy where nothing changed: of an object that is written again most is as it
 * was, and whoever compares it with the old one then sees at once that both are the same.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The fields as `map` gives them, without those that it leaves undefined. */
export const mapFields = (fields: Fields, map: (name: string, value: unknown) => unknown): Fields => {
  let isSame = true;
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const mapped = map(name, value);
    if (mapped !== value) isSame = false;
    if (mapped !== undefined) kept.push([name, mapped]);
  }
  return isSame ? fields : Object.fromEntries(kept);
};

export const mapItems = (
  items: readonly unknown[],
  map: (item: unknown, at: number) => unknown,
): readonly unknown[] => {
  const mapped = items.map(map);
  return mapped.every((item, at) => item === items[at]) ? items : mapped;
};
