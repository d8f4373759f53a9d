/** Every behaviour of the Go original's kubelet and every incident that a kubelet answers for is named by a test. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { describe, it } from 'node:test';

/** How many behaviours each part of §9 has. */
const BEHAVIOURS: Readonly<Record<string, number>> = {
  '§9.1': 9,
  '§9.2': 9,
  '§9.3': 3,
  '§9.4': 9,
  '§9.5': 6,
  '§9.6': 6,
};

/** The rows of §7 whose part is K, or K with another. Of 44 the shipper of logs is left out on purpose (docs/tart-kubelet.md); the log is there for any. */
const INCIDENTS = [
  ...[1, 2, 3, 4, 5, 6, 12, 13, 14, 16, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 35, 36, 43, 44],
];

const NAME = /§(?:9\.\d-\d+|7-\d+)/g;

/** Titles and the stories of rows are strings; a comment tests nothing. */
const withoutComments = (code: string): string => code.replaceAll(/\/\*.*?\*\/|^ *\/\/.*?$/gms, '');

const findNames = async (): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for await (const file of glob([
    'src/kubelet/**/*.test.ts',
    'src/world/kubelet*.test.ts',
    'src/sim/tart/**/*.test.ts',
    'test/kubelet/*.test.ts',
    // What prepares a Mac answers for how its agent is replaced.
    'test/hosts/steps/*.test.ts',
  ])) {
    if (file.endsWith('rows-named.test.ts')) continue;
    for (const [name] of withoutComments(readFileSync(file, 'utf8')).matchAll(NAME)) names.add(name);
  }
  return names;
};

describe('a test of tart-kubelet names', async () => {
  const named = await findNames();
  const missing = (ids: readonly string[]): readonly string[] => ids.filter((id) => !named.has(id));

  it('every behaviour that the Go original’s tests pin', () => {
    const ids = Object.entries(BEHAVIOURS).flatMap(([part, count]) =>
      Array.from({ length: count }, (_, at) => `${part}-${at + 1}`),
    );
    assert.deepEqual(missing(ids), []);
  });
  it('every incident that a kubelet answers for', () =>
    assert.deepEqual(missing(INCIDENTS.map((row) => `§7-${row}`)), []));
});
