/**
 * `npm run generate`: writes the generated files (under deploy/, and pages of docs/) and removes what is left over. With
 * --check it changes nothing, names every file that is not as it would be written, and exits 1 if there is one. An adapter: it
 * reads and writes the disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareFiles, type Difference } from './generate/compare.ts';
import { PAGES, renderPages } from './generate/pages.ts';
import { GENERATED_FOLDERS, renderDeployFiles } from './generate/render.ts';
import { STEPS_FOLDER } from './generate/steps-page.ts';

const ROOT = join(import.meta.dirname, '..');

const readFolder = (folder: string): ReadonlyMap<string, string> => {
  const names = existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)).sort() : [];
  return new Map(names.map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), 'utf8')]));
};

const readGenerated = (): ReadonlyMap<string, string> => {
  const files = new Map(GENERATED_FOLDERS.flatMap((folder) => [...readFolder(folder)]));
  for (const page of PAGES) if (existsSync(join(ROOT, page))) files.set(page, readFileSync(join(ROOT, page), 'utf8'));
  return files;
};

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
const rendered = new Map([...renderDeployFiles(), ...renderPages(readFolder(STEPS_FOLDER))]);
const differences = compareFiles(rendered, readGenerated());
if (values.check) {
  for (const { path, is } of differences) process.stderr.write(`${path} is ${is}: run "npm run generate"\n`);
  process.exitCode = differences.length > 0 ? 1 : 0;
} else {
  write(rendered, differences);
}
