/** What stands between the files on disk and the rendered ones. Pure. */

export interface Difference {
  readonly path: string;
  readonly is: 'missing' | 'stale' | 'left over';
}

export const compareFiles = (
  rendered: ReadonlyMap<string, string>,
  onDisk: ReadonlyMap<string, string>,
): readonly Difference[] => {
  const differences: Difference[] = [];
  for (const [path, content] of rendered) {
    const stored = onDisk.get(path);
    if (stored === undefined) differences.push({ path, is: 'missing' });
    else if (stored !== content) differences.push({ path, is: 'stale' });
  }
  for (const path of onDisk.keys()) if (!rendered.has(path)) differences.push({ path, is: 'left over' });
  return differences;
};
