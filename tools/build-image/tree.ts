/** A folder of files as an image has it: who made it, when and where leaves no trace, so that the same content is the same bytes. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderTarHeader, TAR_END, tarPadding } from '../../src/hosts/port/tar.ts';

export interface TreeFile {
  readonly content: Uint8Array;
  readonly mode: 0o644 | 0o755;
}

/** By path, without a leading slash. Everything belongs to root; folders are made as they are needed, or named here as `empty`. */
export interface Tree {
  readonly files: ReadonlyMap<string, TreeFile>;
  /** Folders of their own mode: `tmp` is anybody's. */
  readonly folders: ReadonlyMap<string, number>;
}

export const treeOf = (
  files: Readonly<Record<string, TreeFile | Uint8Array | string>>,
  folders: Readonly<Record<string, number>> = {},
): Tree => ({
  files: new Map(Object.entries(files).map(([path, file]) => [path, toFile(file)])),
  folders: new Map(Object.entries(folders)),
});

const toFile = (file: TreeFile | Uint8Array | string): TreeFile => {
  if (typeof file === 'string') return { content: Buffer.from(file), mode: 0o644 };
  return file instanceof Uint8Array ? { content: file, mode: 0o644 } : file;
};

/** As files of this machine, for who runs or packs them otherwise. */
export const writeTree = ({ files, folders }: Tree, to: string): void => {
  for (const [path, mode] of folders) {
    mkdirSync(join(to, path), { recursive: true });
    // Whatever this process keeps from others otherwise.
    chmodSync(join(to, path), mode);
  }
  for (const [path, { content, mode }] of files) {
    mkdirSync(join(to, dirname(path)), { recursive: true });
    writeFileSync(join(to, path), content, { mode });
  }
};

const FOLDER_MODE = 0o755;
const PATH_BYTES_MAX = 100;

/** As a tar file: sorted, of root, from the beginning of time. */
export const packTree = ({ files, folders }: Tree): Buffer => {
  const all = new Map<string, number>(folders);
  for (const path of [...files.keys(), ...folders.keys()]) {
    if (Buffer.byteLength(path) >= PATH_BYTES_MAX) throw new RangeError(`the path is too long for the image: ${path}`);
    for (let up = dirname(path); up !== '.'; up = dirname(up)) if (!all.has(up)) all.set(up, FOLDER_MODE);
  }
  const parts = [...all.keys(), ...files.keys()].toSorted().flatMap((path): readonly Uint8Array[] => {
    const file = files.get(path);
    const mode = all.get(path) ?? FOLDER_MODE;
    if (file === undefined) return [renderTarHeader({ path: `${path}/`, mode, sizeBytes: 0 })];
    const sizeBytes = file.content.length;
    return [renderTarHeader({ path, mode: file.mode, sizeBytes }), file.content, tarPadding(sizeBytes)];
  });
  return Buffer.concat([...parts, TAR_END]);
};
