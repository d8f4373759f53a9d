/** Delta debugging over any list: what of it is needed for a failure. */

/** Zeller's ddmin: leaves out ever smaller chunks as long as the rest still fails. */
export const minimise = async <T>(
  items: readonly T[],
  failsWith: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> => {
  let kept = items;
  let chunkSize = kept.length;
  while (chunkSize >= 1) {
    for (let from = 0; from < kept.length; ) {
      const rest = kept.toSpliced(from, chunkSize);
      if (await failsWith(rest)) kept = rest;
      else from += chunkSize;
    }
    chunkSize = Math.floor(chunkSize / 2);
  }
  return kept;
};
