/** Keeps what takes long to make, by what it was made of: packing Node takes a minute, and Node changes rarely. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const keepMade = async (
  project: string,
  source: Uint8Array,
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  const cache = join(project, 'node_modules', '.cache', 'build-image');
  // What packs is Node itself: another one may pack otherwise.
  const sum = createHash('sha256').update(source).update(process.version).digest('hex');
  const path = join(cache, `${sum}.gz`);
  if (existsSync(path)) return readFile(path);
  const made = await make();
  await mkdir(cache, { recursive: true });
  await writeFile(`${path}.${process.pid}`, made);
  await rename(`${path}.${process.pid}`, path);
  return made;
};
