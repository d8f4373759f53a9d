/**
 * Files of packages that the lock file names by their checksums: the very ones that it means, or nothing. A checksum is of a whole package, as
 * it was packed, so that is fetched into a cache, also where npm has installed it: what lies there can have been changed since.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FleetError } from '../../src/base/errors.ts';
import { isRecord } from '../../src/base/json.ts';

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-<base64>` */
  readonly integrity: string;
  readonly license: string;
}

const FILE_BYTES_MAX = 512 * 1024 * 1024;

/** Rejects when the lock file does not name the package with its checksum. `path` is its place, `node_modules/…`. */
export const parseLocked = (lockText: string, path: string): LockedPackage => {
  const lock: unknown = JSON.parse(lockText);
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
  const entry = packages[path];
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (isRecord(entry) && typeof entry['version'] === 'string' && typeof entry['integrity'] === 'string') {
    const { version, integrity, license } = entry;
    return { name, version, integrity, license: typeof license === 'string' ? license : 'NOASSERTION' };
  }
  throw strange(`the lock file does not name ${name}`);
};

export const readLock = (project: string): Promise<string> => readFile(join(project, 'package-lock.json'), 'utf8');

/** One file of a package; rejects what is not the very package of the lock file. */
export const readLockedFile = async (
  project: string,
  { name, version, integrity }: LockedPackage,
  file: string,
): Promise<Buffer> => {
  const packed = await fetchPackage(project, { name, version, integrity });
  const options = { encoding: 'buffer', maxBuffer: FILE_BYTES_MAX } as const;
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', packed, `package/${file}`], options);
  return stdout;
};

const fetchPackage = async (
  project: string,
  { name, version, integrity }: Omit<LockedPackage, 'license'>,
): Promise<string> => {
  const cache = join(project, 'node_modules', '.cache', 'locked-packages');
  const path = join(cache, `${name}-${version}.tgz`);
  await mkdir(cache, { recursive: true });
  if (!existsSync(path)) {
    const fetched = await mkdir(join(cache, 'new'), { recursive: true }).then(() => join(cache, 'new'));
    await promisify(execFile)('npm', [
      'pack',
      `${name}@${version}`,
      '--silent',
      '--prefer-offline',
      '--pack-destination',
      fetched,
    ]);
    await rename(join(fetched, `${name}-${version}.tgz`), path);
  }
  const sum = createHash('sha512')
    .update(await readFile(path))
    .digest('base64');
  if (integrity === `sha512-${sum}`) return path;
  throw strange(`the package that was fetched has another checksum than the lock file says (${path})`);
};

const strange = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'StrangePackage',
    message: `a package that is built from cannot be used: ${why}`,
    hint: 'Remove node_modules/.cache/locked-packages and try again.',
  });
