/** The directory that is the disk of one Mac: made, mounted, erased, removed. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MacFiles } from '../model/files.ts';
import { createDiskFiles } from './disk-files.ts';
import { writeFreshDisk } from './fresh-disk.ts';
import { DISK_FOLDERS, DOOR_FOLDER, type Mount } from './mac-root.ts';

/** What is wrong with the disk. */
export interface DiskDefects {
  /** Folders that nobody can write. */
  readonly readOnly: readonly string[];
  /** Folders that hold next to nothing, and are empty at each boot. */
  readonly full: readonly string[];
}

export interface DiskFolder {
  readonly files: MacFiles;
  mounts(defects: DiskDefects): readonly Mount[];
  /** Erases all of it and installs macOS. Nothing may be mounted. */
  format(authorizedKeys: readonly string[]): void;
  remove(): void;
}

export interface DoorPlate {
  readonly port: number;
  /** By which the Mac's questions are known, and the sandbox too. */
  readonly token: string;
}

/** Empty; `dir` must not exist. */
export const createDiskFolder = (dir: string, { port, token }: DoorPlate): DiskFolder => {
  mkdirSync(join(dir, DOOR_FOLDER), { recursive: true });
  for (const name of ['etc', 'var', 'tmp']) symlinkSync(`private/${name}`, join(dir, name));
  writeFileSync(join(dir, DOOR_FOLDER, 'door'), `${port} ${token}\n`);
  writeFileSync(join(dir, DOOR_FOLDER, 'marker'), `${token}\n`);
  const files = createDiskFiles(dir);
  const mount = (folder: string, may: Mount['may']): Mount => ({ from: join(dir, folder), at: join('/', folder), may });
  return {
    files,
    mounts: ({ readOnly }) => [
      ...DISK_FOLDERS.map((folder) => mount(folder, 'write')),
      ...[DOOR_FOLDER, ...readOnly].map((folder) => mount(folder, 'read')),
    ],
    format: (authorizedKeys) => {
      for (const folder of DISK_FOLDERS) {
        rmSync(join(dir, folder), { recursive: true, force: true });
        mkdirSync(join(dir, folder), { recursive: true });
      }
      writeFreshDisk(files, { authorizedKeys });
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
};
