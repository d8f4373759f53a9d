/**
 * `npm run generate`: writes the generated files under deploy/ and removes what is left over there. With --check it
 * changes nothing, names every file that is not as it would be written, and exits 1 if there is one. An adapter: it
 * reads and writes the disk.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareFiles, type Difference } from './generate/compare.ts';
import { GENERATED_FOLDERS, renderDeployFiles } from './generate/render.ts';

const ROOT = join(import.meta.dirname, '..');

const readGenerated = (): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const folder of GENERATED_FOLDERS) {
    if (!existsSync(join(ROOT, folder))) continue;
    for (const file of readdirSync(join(ROOT, folder)).sort()) {
      files.set(`${folder}/${file}`, readFileSync(join(ROOT, folder, file), 'utf8'));
    }
  }
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
const rendered = renderDeployFiles();
const differences = compareFiles(rendered, readGenerated());
if (values.check) {
  for (const { path, is } of differences) process.stderr.write(`${path} is ${is}: run "npm run generate"\n`);
  process.exitCode = differences.length > 0 ? 1 : 0;
} else {
  write(rendered, differences);
}
