/** The recipe and the modules that pin its versions say the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BINARY_NAMES, BINARY_RECIPES, MANIFEST_SOURCES, type ModuleName, moduleDir } from './recipe.ts';

interface Pin {
  readonly path: string;
  readonly version: string;
}

const readMod = (module: ModuleName): string => readFileSync(join(moduleDir(module), 'go.mod'), 'utf8');

const readPins = (module: ModuleName): readonly Pin[] => {
  const text = readMod(module);
  const lines = text.matchAll(/^(?:require |\t)([\w./-]+\.[\w./-]+) (v\S+)$/gm);
  return [...lines].map(([, path = '', version = '']) => ({ path, version }));
};

describe('the recipe of each program', () => {
  for (const name of BINARY_NAMES) {
    const { module, package: pkg, ldflags } = BINARY_RECIPES[name];
    // What our own program stands on is all that its module requires.
    const isOurs = readMod(module).includes(`\nmodule ${pkg}\n`);
    const pin = readPins(module).find(({ path }) => isOurs || pkg === path || pkg.startsWith(`${path}/`));

    test(`${name} comes from a module that is pinned and checksummed`, () => {
      assert.ok(pin !== undefined, `${pkg} is in no module that ${module}/go.mod requires`);
      const sums = `\n${readFileSync(join(moduleDir(module), 'go.sum'), 'utf8')}`;
      assert.ok(sums.includes(`\n${pin.path} ${pin.version} h1:`), `${pin.path} ${pin.version} is not in go.sum`);
    });

    test(`${name} is told the version that is pinned`, () => {
      for (const [, stamped] of ldflags.matchAll(/[vV]ersion=(v\S+)/g)) assert.equal(stamped, pin?.version);
    });
  }

  test('the manifests come from the module of Cluster API', () => {
    assert.ok(readPins(MANIFEST_SOURCES.module).some(({ path }) => path === MANIFEST_SOURCES.goModule));
  });
});
