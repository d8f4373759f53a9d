/**
 * What Node is linked against: a handful of libraries out of Debian's packages, which base.json names by version and checksum. They are fetched by
 * the apt of this machine, from wherever it is told to fetch, into a cache.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { FleetError, toFleetError } from '../../src/base/errors.ts';
import type { Architecture } from './architectures.ts';
import { type Tree, type TreeFile, treeOf } from './tree.ts';

const run = promisify(execFile);

const basePackage = z.strictObject({
  name: z.string(),
  architecture: z.enum(['amd64', 'arm64']),
  version: z.string(),
  sha256: z.string(),
});
const baseLock = z.strictObject({ distribution: z.string(), packages: z.array(basePackage) });

export type BasePackage = z.infer<typeof basePackage>;
export type BaseLock = z.infer<typeof baseLock>;

/** What each package gives, by the library's own name; gcc-12-base has the licence of the others. */
const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  libc6: ['libc.so.6', 'libdl.so.2', 'libm.so.6', 'libpthread.so.0'],
  'libstdc++6': ['libstdc++.so.6'],
  'libgcc-s1': ['libgcc_s.so.1'],
  libatomic1: ['libatomic.so.1'],
  'gcc-12-base': [],
};
const BASE_NAMES: readonly string[] = Object.keys(LIBRARIES);

const PATH = 'tools/build-image/base.json';

export const readBaseLock = async (project: string): Promise<BaseLock> =>
  baseLock.parse(JSON.parse(await readFile(join(project, PATH), 'utf8')));

/** The libraries for one processor, and the copyright of each package. */
export const readBase = async (project: string, architecture: Architecture): Promise<Tree> => {
  const { packages } = await readBaseLock(project);
  const dir = await mkdtemp(join(tmpdir(), 'macfleet-base-'));
  try {
    for (const wanted of packages.filter((found) => found.architecture === architecture.name)) {
      await run('dpkg-deb', ['--extract', await fetchBase(project, wanted), dir]);
    }
    return treeOf(await collect(dir, architecture));
  } finally {
    await rm(dir, { recursive: true });
  }
};

/** The same libraries as this machine has them: for those who try our programs and cannot fetch what is pinned. */
export const readBaseHere: typeof readBase = async (_project, architecture) => treeOf(await collect('/', architecture));

const collect = async (dir: string, { triplet, loader }: Architecture): Promise<Readonly<Record<string, TreeFile>>> => {
  const files: Record<string, TreeFile> = {};
  const put = async (path: string, from: string, mode: TreeFile['mode'] = 0o644): Promise<void> => {
    files[path] = { content: await readFile(from), mode };
  };
  const find = async (library: string): Promise<string> => {
    const [path] = ['lib', 'usr/lib'].map((folder) => join(dir, folder, triplet, library)).filter(existsSync);
    return realpath(path ?? join(dir, 'lib', triplet, library));
  };
  for (const library of Object.values(LIBRARIES).flat()) await put(`lib/${triplet}/${library}`, await find(library));
  await put(loader, await find(loader.slice(loader.lastIndexOf('/') + 1)), 0o755);
  for (const name of ['libc6', 'gcc-12-base'])
    await put(`usr/share/doc/${name}/copyright`, join(dir, 'usr/share/doc', name, 'copyright'));
  return files;
};

const cacheOf = (project: string): string => join(project, 'node_modules', '.cache', 'build-image');

/** The package of exactly this checksum, as a file. */
const fetchBase = async (project: string, { name, architecture, version, sha256 }: BasePackage): Promise<string> => {
  const kept = join(cacheOf(project), `${sha256}.deb`);
  if (existsSync(kept)) return kept;
  const fetched = await download(project, { architecture, words: [`${name}=${version}`] });
  const [found] = fetched;
  if (found?.sha256 === sha256) return kept;
  throw new FleetError('invalid', {
    code: 'StrangeBasePackage',
    message: `${name} ${version} for ${architecture} has the checksum ${found?.sha256 ?? '(none)'}, not ${sha256} as ${PATH} says`,
    hint: 'Look at where apt fetches from on this machine.',
  });
};

interface Asked {
  readonly architecture: BasePackage['architecture'];
  readonly words: readonly string[];
}

/** Downloads by the apt of this machine, which checks the signatures of the distribution; keeps each file under its checksum. */
const download = async (project: string, { architecture, words }: Asked): Promise<readonly BasePackage[]> => {
  const cache = cacheOf(project);
  const dir = await mkdtemp(join(tmpdir(), 'macfleet-apt-'));
  for (const folder of ['lists/partial', 'archives/partial', 'files'])
    await mkdir(join(dir, folder), { recursive: true });
  await mkdir(cache, { recursive: true });
  const settings = [
    ...[`Dir::State::Lists=${join(dir, 'lists')}`, `Dir::Cache=${dir}`, `APT::Architecture=${architecture}`],
    ...[`APT::Architectures::=${architecture}`, 'APT::Sandbox::User=root', 'Acquire::Languages=none'],
  ].flatMap((setting) => ['-o', setting]);
  try {
    await run('apt-get', [...settings, '-qq', 'update']);
    await run('apt-get', [...settings, '-qq', 'download', ...words], { cwd: join(dir, 'files') });
    const names = (await readdir(join(dir, 'files'))).toSorted();
    return await Promise.all(names.map((name) => keep(join(dir, 'files', name), { cache, architecture })));
  } catch (thrown) {
    throw unobtainable(words, thrown);
  } finally {
    await rm(dir, { recursive: true });
  }
};

const keep = async (
  path: string,
  { cache, architecture }: { readonly cache: string } & Pick<Asked, 'architecture'>,
): Promise<BasePackage> => {
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  await copyFile(path, join(cache, `${sha256}.deb`));
  const field = async (name: string): Promise<string> => (await run('dpkg-deb', ['-f', path, name])).stdout.trim();
  return { name: await field('Package'), architecture, version: await field('Version'), sha256 };
};

const unobtainable = (words: readonly string[], cause: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'BasePackageUnobtainable',
    message: `the base packages ${words.join(', ')} could not be fetched: ${toFleetError(cause).message.trim()}`,
    hint: 'This takes Debian 12 with apt and dpkg, and the network. When Debian has replaced a version, `npm run build:image -- --update-base` takes the newer one.',
    cause,
  });

/** What the distribution has now. */
export const findNewestBase = async (project: string): Promise<readonly BasePackage[]> => {
  const found: BasePackage[] = [];
  for (const architecture of ['amd64', 'arm64'] as const)
    found.push(...(await download(project, { architecture, words: BASE_NAMES })));
  return found;
};

export const renderBaseLock = (lock: BaseLock): string => `${JSON.stringify(lock, undefined, 2)}\n`;
