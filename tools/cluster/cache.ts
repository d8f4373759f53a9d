/**
 * The per-user directory of built programs. One folder per recipe and version of Go, and in it a record of what was
 * finished: a file that the record does not name, or whose size differs, counts as absent and is built again.
 */
import { access, constants, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isRecord } from '../../src/base/json.ts';
import { hashRecipe, type OutputName } from './recipe.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const RECORD = 'built.json';

/** Sizes in bytes of the files that were finished, by name. */
type BuildRecord = Readonly<Record<string, number>>;

/** As the XDG rules have it: a relative XDG_CACHE_HOME is no answer. */
export const cacheRoot = (env: Env): string => {
  const xdg = env['XDG_CACHE_HOME'] ?? '';
  const base = isAbsolute(xdg) ? xdg : join(env['HOME'] ?? homedir(), '.cache');
  return join(base, 'macfleet', 'cluster');
};

/** The folder for one version of Go, as `go1.26.8`. */
export const cacheDir = (env: Env, goVersion: string): string => join(cacheRoot(env), `${hashRecipe()}-${goVersion}`);

/** The folder for the manifests alone, when the programs are somebody else's. */
export const manifestsDir = (env: Env): string => join(cacheRoot(env), `${hashRecipe()}-manifests`);

/**
 * Folders of this recipe, whichever Go built them, newest first. None in a cache that cannot be read: the build, which
 * writes there, says why.
 */
export const listCacheDirs = async (env: Env): Promise<readonly string[]> => {
  const prefix = `${hashRecipe()}-`;
  const root = cacheRoot(env);
  const names = await readdir(root).catch(() => []);
  const dirs = names.filter((name) => name.startsWith(prefix)).map((name) => join(root, name));
  const dated = await Promise.all(dirs.map(async (dir) => ({ dir, at: await modifiedAt(join(dir, RECORD)) })));
  return dated.sort((left, right) => right.at - left.at).map(({ dir }) => dir);
};

const modifiedAt = async (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** Those of the names that are not there whole. */
export const findMissing = async <Name extends OutputName>(
  dir: string,
  names: readonly Name[],
): Promise<readonly Name[]> => {
  const record = await readRecord(dir);
  const whole = await Promise.all(names.map((name) => isWhole(join(dir, name), record[name])));
  return names.filter((_, at) => whole[at] !== true);
};

const isWhole = async (path: string, bytes: number | undefined): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size !== bytes) return false;
  return path.endsWith('.yaml') || isProgram(path);
};

/** Whether it is a file that may be run. */
export const isProgram = async (path: string): Promise<boolean> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
};

/** Moves a finished file to its place, where it counts from then on. Gives its size. The caller holds the build lock. */
export const adopt = async (dir: string, name: OutputName, from: string): Promise<number> => {
  const { size } = await stat(from);
  const record = await readRecord(dir);
  // Over anything but a file a rename would fail.
  await rm(join(dir, name), { recursive: true, force: true });
  await rename(from, join(dir, name));
  const draft = `${from}.${RECORD}`;
  await writeFile(draft, `${JSON.stringify({ ...record, [name]: size }, null, 2)}\n`);
  await rename(draft, join(dir, RECORD));
  return size;
};

/** An unreadable record is an empty one: everything is built again. */
const readRecord = async (dir: string): Promise<BuildRecord> => {
  const text = await readFile(join(dir, RECORD), 'utf8').catch(() => '');
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isRecord(parsed)) return {};
    return Object.fromEntries(
      Object.entries(parsed).flatMap(([name, size]) => (typeof size === 'number' ? [[name, size]] : [])),
    );
  } catch {
    return {};
  }
};
