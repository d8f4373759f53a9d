/** A tar archive of a few small files with their folders. */
import { renderTarHeader, TAR_END, tarPadding } from '../../../hosts/port/tar.ts';

export interface SmallFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

export const renderTar = (files: readonly SmallFile[]): Uint8Array =>
  Buffer.concat([
    ...foldersOf(files).map((path) => renderTarHeader({ path: `${path}/`, mode: 0o755, sizeBytes: 0 })),
    ...files.flatMap(({ path, content, mode }) => {
      const body = Buffer.from(content);
      return [renderTarHeader({ path, mode, sizeBytes: body.length }), body, tarPadding(body.length)];
    }),
    TAR_END,
  ]);

/** Outer ones first. */
const foldersOf = (files: readonly SmallFile[]): readonly string[] => {
  const folders = files.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1);
    return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
  });
  return [...new Set(folders)];
};
