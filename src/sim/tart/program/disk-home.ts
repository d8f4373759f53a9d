/** A Tart home in a folder, laid out as the real one. Many invocations work on it at the same time. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CachedImage, Lease, SimVm, TartHome } from '../tart-home.ts';
import { parseTartSettings } from '../tart-settings.ts';
import { parseVmConfig, renderVmConfig } from '../vm-config.ts';
import { createHolders, underHomeLock } from './holders.ts';

export const SETTINGS_FILE = 'sim.json';
const LEASES_FILE = 'dhcpd_leases.json';
const VM_FILES = ['config.json', 'disk.img', 'nvram.bin'];
const IMAGE = /^sha256:[0-9a-f]{64}$/;

/** Where a VM's folder is; `disk` in it is what its guest sees as its disk. */
export const vmFolder = (root: string, name: string): string => join(root, 'vms', name);

export const createDiskHome = (root: string): TartHome => {
  const vms = join(root, 'vms');
  const images = join(root, 'cache', 'OCIs');
  for (const folder of [vms, images, join(root, 'tmp')]) mkdirSync(folder, { recursive: true });
  const folderOf = (name: string): string => vmFolder(root, name);
  return {
    settings: () => parseTartSettings(readIfThere(join(root, SETTINGS_FILE))),
    vmNames: () => readdirSync(vms).toSorted(),
    vm: (name) => readVm(folderOf(name)),
    isBroken: (name) => {
      const folder = folderOf(name);
      return existsSync(folder) && VM_FILES.some((file) => !existsSync(join(folder, file)));
    },
    putVm: (name, vm) => replaceFile(join(folderOf(name), 'config.json'), renderVmConfig(vm)),
    touch: (name, atMs) => utimesSync(folderOf(name), atMs / 1_000, atMs / 1_000),
    copyVm: (from, to, vm) => {
      const fresh = join(root, 'tmp', `${to}-${process.pid}`);
      const source = from.includes('/') ? undefined : join(folderOf(from), 'disk');
      writeVm(fresh, vm);
      if (source !== undefined && existsSync(source)) cpSync(source, join(fresh, 'disk'), { recursive: true });
      rmSync(folderOf(to), { recursive: true, force: true });
      renameSync(fresh, folderOf(to));
    },
    dropVm: (name) => rmSync(folderOf(name), { recursive: true, force: true }),
    cached: () => readImages(images),
    putCached: (image) => writeImage(images, image),
    dropCached: (image) => dropImage(images, image),
    leases: () => readLeases(root),
    putLease: (lease) =>
      underHomeLock(root, () => {
        const others = readLeases(root).filter(({ macAddress }) => macAddress !== lease.macAddress);
        replaceFile(join(root, LEASES_FILE), JSON.stringify([...others, lease]));
      }),
    ...createHolders(root),
  };
};

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const replaceFile = (path: string, text: string): void => {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
};

const readVm = (folder: string): SimVm | undefined => {
  if (VM_FILES.some((file) => !existsSync(join(folder, file)))) return undefined;
  const text = readIfThere(join(folder, 'config.json'));
  if (text === undefined) return undefined;
  return { ...parseVmConfig(text), accessedMs: statSync(folder).mtimeMs };
};

const writeVm = (folder: string, vm: SimVm): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), renderVmConfig(vm));
  for (const file of ['disk.img', 'nvram.bin']) writeFileSync(join(folder, file), '');
};

const repositoryFolder = (images: string, repository: string): string => join(images, repository.replace(':', '%3A'));

const readImages = (images: string): readonly CachedImage[] =>
  readdirSync(images, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const digest = path.split('/').at(-1) ?? '';
    if (!IMAGE.test(digest)) return [];
    const folder = join(images, path, '..');
    const vm = readVm(join(images, path));
    if (vm === undefined || !statSync(join(images, path)).isDirectory()) return [];
    const repository = path.slice(0, -digest.length - 1).replace('%3A', ':');
    return [{ repository, digest, tags: tagsOf(folder, digest), vm }];
  });

const tagsOf = (folder: string, digest: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && readlinkSync(join(folder, entry.name)) === digest)
    .map(({ name }) => name);

const writeImage = (images: string, { repository, digest, tags, vm }: CachedImage): void => {
  const folder = repositoryFolder(images, repository);
  writeVm(join(folder, digest), vm);
  for (const tag of tagsOf(folder, digest)) rmSync(join(folder, tag));
  for (const tag of tags) {
    rmSync(join(folder, tag), { force: true });
    symlinkSync(digest, join(folder, tag));
  }
};

const dropImage = (images: string, { repository, digest }: CachedImage): void => {
  const folder = repositoryFolder(images, repository);
  for (const tag of tagsOf(folder, digest)) rmSync(join(folder, tag));
  rmSync(join(folder, digest), { recursive: true, force: true });
};

const readLeases = (root: string): readonly Lease[] => parseLeases(readIfThere(join(root, LEASES_FILE)));

const parseLeases = (text: string | undefined): readonly Lease[] =>
  text === undefined ? [] : (JSON.parse(text) as readonly Lease[]);
