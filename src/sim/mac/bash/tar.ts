/** A tar archive (ustar) of a few small files with their folders: paths up to 100 bytes. */

export interface TarFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

const BLOCK = 512;
/** Where the header's checksum stands; it counts as spaces while it is summed up. */
const SUM_AT = 148;

export const renderTar = (files: readonly TarFile[]): Uint8Array =>
  Buffer.concat([
    ...foldersOf(files).flatMap((path) => renderEntry({ path: `${path}/`, content: '', mode: 0o755 }, '5')),
    ...files.flatMap((file) => renderEntry(file, '0')),
    Buffer.alloc(2 * BLOCK),
  ]);

/** Outer ones first. */
const foldersOf = (files: readonly TarFile[]): readonly string[] => {
  const folders = files.flatMap(({ path }) => {
    const parts = path.split('/').slice(0, -1);
    return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
  });
  return [...new Set(folders)];
};

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

const renderEntry = ({ path, content, mode }: TarFile, type: '0' | '5'): readonly Buffer[] => {
  const body = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  const fields: readonly (readonly [number, string])[] = [
    ...([
      [0, path],
      [100, octal(mode, 7)],
      [108, octal(0, 7)],
      [116, octal(0, 7)],
    ] as const),
    ...([
      [124, octal(body.length, 11)],
      [136, octal(0, 11)],
      [SUM_AT, ' '.repeat(8)],
      [156, type],
    ] as const),
    ...([
      [257, 'ustar\0'],
      [263, '00'],
    ] as const),
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, SUM_AT, 'latin1');
  return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
};
