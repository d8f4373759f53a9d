import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { CHART_FILES } from './chart/render-chart.ts';
import { compareFiles } from './compare.ts';
import { GENERATED_FOLDERS, renderDeployFiles } from './render.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const paths = [
  ...GENERATED_FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`)),
  ...CHART_FILES,
];
const onDisk = new Map(paths.map((path): [string, string] => [path, readFileSync(join(ROOT, path), 'utf8')]));

describe('the generated files', () => {
  it('are fresh: "npm run generate" would change nothing', () => {
    assert.deepEqual(compareFiles(renderDeployFiles(), onDisk), []);
  });

  it('are the same bytes every time', () => {
    assert.deepEqual([...renderDeployFiles()], [...renderDeployFiles()]);
  });

  it('say what made them, and hold nothing but what can be applied', () => {
    const manifests = [...renderDeployFiles()].filter(([path]) => /^deploy\/(crds|policies|rbac|runners)\//.test(path));
    for (const [path, content] of manifests) {
      assert.match(
        content,
        /^# Generated from src\/(kinds|provider|runners) by "npm run generate"\. Do not edit/,
        path,
      );
      for (const document of parseAllDocuments(content)) {
        assert.deepEqual(document.errors, []);
        assert.match(
          String(document.get('kind')),
          /^(ClusterRole|CustomResourceDefinition|Namespace|PodDisruptionBudget|ValidatingAdmissionPolicy(Binding)?)$/,
        );
      }
    }
  });
});

describe('comparing files', () => {
  const rendered = new Map([
    ['a', '1'],
    ['b', '2'],
  ]);
  const cases = [
    { story: 'finds nothing when all is fresh', disk: new Map(rendered), expected: [] },
    { story: 'finds a missing file', disk: new Map([['a', '1']]), expected: [{ path: 'b', is: 'missing' }] },
    {
      story: 'finds a stale file',
      disk: new Map([...rendered, ['b', 'old']]),
      expected: [{ path: 'b', is: 'stale' }],
    },
    {
      story: 'finds a file nobody renders any more',
      disk: new Map([...rendered, ['c', '3']]),
      expected: [{ path: 'c', is: 'left over' }],
    },
  ];
  for (const { story, disk, expected } of cases) {
    it(story, () => assert.deepEqual(compareFiles(rendered, disk), expected));
  }
});
