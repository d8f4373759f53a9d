/**
 * The part of a Mac's disk that nobody changes, built once for all Macs of a rack: the command set as links into a view of
 * this machine's programs at /host, and the folders on which each Mac's own disk is mounted.
 */
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT_ENTRIES, type RootEntry, SHIM_NAMES } from './mac-programs.ts';

/** A folder of this machine, or of a Mac's disk, and where it is seen on the Mac. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly may: 'read' | 'write';
}

/** What each Mac has for itself; `private` holds etc, var and tmp. */
export const DISK_FOLDERS = ['private', 'Library', 'Users', 'opt', 'usr/local', 'Applications', 'Volumes'];

/** Where the shims find the way to the model, and the marker of the sandbox. */
export const DOOR_FOLDER = 'System/Volumes/macfleet';

/** Where a Mac sees them. */
export const PROJECT_ON_MAC = '/host/macfleet';
/** Our own files: the agent that a simulated Mac runs is one of them. */
const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');

const SHIM_FOLDER = 'System/Library/macfleet-shims';
const HOST_SEARCH = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
/** awk by preference: the first is the one that macOS has. */
const STANDS_FOR: Readonly<Record<string, readonly string[]>> = { awk: ['original-awk', 'mawk', 'gawk', 'awk'] };

const programOnHost = (name: string): string | undefined => {
  const candidates = STANDS_FOR[name] ?? [name];
  const found = candidates
    .flatMap((candidate) => HOST_SEARCH.map((folder) => `${folder}/${candidate}`))
    .find((path) => existsSync(path));
  return found === undefined ? undefined : realpathSync(found);
};

/** Folders of this machine that programs need. On most systems all but /usr are links into it. */
const hostMounts = (): readonly Mount[] =>
  ['/usr', '/bin', '/sbin', '/lib', '/lib64']
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    .map((from) => ({ from, at: `/host${from}`, may: 'read' as const }));

export interface MacRoot {
  readonly dir: string;
  readonly mounts: readonly Mount[];
}

/** `dir` must not exist. `node` is the Node that pushed bundles run on. */
export const buildMacRoot = (dir: string, node: string): MacRoot => {
  for (const folder of [...DISK_FOLDERS, DOOR_FOLDER, SHIM_FOLDER, 'proc', 'dev', 'usr/libexec/macfleet', 'host'])
    mkdirSync(join(dir, folder), { recursive: true });
  for (const name of ['etc', 'var', 'tmp']) symlinkSync(`private/${name}`, join(dir, name));
  linkLibraries(dir);
  for (const name of SHIM_NAMES) {
    const place = join(dir, SHIM_FOLDER, name);
    copyFileSync(join(import.meta.dirname, 'shims', `${name}.sh`), place);
    chmodSync(place, 0o755);
  }
  for (const entry of ROOT_ENTRIES) link(dir, entry);
  symlinkSync('/host/node-bin/node', join(dir, 'host/node'));
  const project = { from: PROJECT, at: PROJECT_ON_MAC, may: 'read' as const };
  const mounts = [
    ...hostMounts(),
    project,
    { from: dirname(realpathSync(node)), at: '/host/node-bin', may: 'read' as const },
  ];
  for (const { at } of mounts) mkdirSync(join(dir, at), { recursive: true });
  return { dir, mounts };
};

/** Programs look for libraries and modules at the paths they were built with. */
const linkLibraries = (dir: string): void => {
  for (const name of ['lib', 'lib64', 'share']) symlinkSync(`/host/usr/${name}`, join(dir, 'usr', name));
  for (const name of ['lib', 'lib64']) {
    const isLink = lstatSync(`/${name}`, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    symlinkSync(isLink ? `/host/usr/${name}` : `/host/${name}`, join(dir, name));
  }
};

const link = (dir: string, { path, from }: RootEntry): void => {
  const target = 'shim' in from ? `/${SHIM_FOLDER}/${from.shim}` : programOnHost(from.program);
  if (target === undefined) return;
  mkdirSync(join(dir, dirname(path)), { recursive: true });
  symlinkSync('shim' in from ? target : `/host${target}`, join(dir, path));
};
