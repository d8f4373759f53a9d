/**
 * `npm run generate`: writes the generated files (under deploy/ and charts/, and pages of docs/) and removes what is left over. With
 * --check it changes nothing, names every file that is not as it would be written, and exits 1 if there is one. An adapter: it
 * reads and writes the disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALERTS_SOURCE } from './generate/chart/alerts.ts';
import { CHART_FILES } from './generate/chart/render-chart.ts';
import { compareFiles, type Difference } from './generate/compare.ts';
import { CONCEPTS_PAGE } from './generate/concepts-page.ts';
import { CORRECTNESS_SOURCES, PROPERTIES_FOLDER } from './generate/correctness-page.ts';
import { PAGES, renderPages } from './generate/pages.ts';
import { GENERATED_FOLDERS, renderDeployFiles } from './generate/render.ts';
import { STEPS_FOLDER } from './generate/steps-page.ts';

const ROOT = join(import.meta.dirname, '..');

const readFolder = (folder: string): ReadonlyMap<string, string> => {
  const entries = existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder), { withFileTypes: true }) : [];
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
  return new Map(names.map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), 'utf8')]));
};

/** All TypeScript below a folder. */
const readSources = (folder: string): readonly (readonly [string, string])[] =>
  readFiles(
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );

/** Those that are there. */
const readFiles = (paths: readonly string[]): readonly (readonly [string, string])[] =>
  paths
    .filter((path) => existsSync(join(ROOT, path)))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const);

const readGenerated = (): ReadonlyMap<string, string> =>
  new Map([
    ...GENERATED_FOLDERS.flatMap((folder) => [...readFolder(folder)]),
    ...readFiles([...PAGES, ...CHART_FILES]),
  ]);

const write = (rendered: ReadonlyMap<string, string>, differences: readonly Difference[]): void => {
  for (const { path, is } of differences) {
    const target = join(ROOT, path);
    if (is === 'left over') rmSync(target);
    else {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, rendered.get(path) ?? '');
    }
    process.stdout.write(`${is === 'left over' ? 'removed' : 'wrote'} ${path}\n`);
  }
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const sources = new Map([
  ...readSources('src'),
  ...readSources('bin'),
  ...[STEPS_FOLDER, PROPERTIES_FOLDER].flatMap((folder) => [...readFolder(folder)]),
  ...readFiles([...CORRECTNESS_SOURCES, ALERTS_SOURCE, CONCEPTS_PAGE]),
]);
const rendered = new Map([...renderDeployFiles(), ...renderPages(sources)]);
const differences = compareFiles(rendered, readGenerated());
if (values.check) {
  for (const { path, is } of differences) process.stderr.write(`${path} is ${is}: run "npm run generate"\n`);
  process.exitCode = differences.length > 0 ? 1 : 0;
} else {
  write(rendered, differences);
}
