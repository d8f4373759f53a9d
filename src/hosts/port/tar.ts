/** tar archives (ustar) as streams and in memory, as far as we send and simulate them: files and folders with short names. */
import { FleetError } from '../../base/errors.ts';

const BLOCK = 512;
/** Where the header's checksum stands; it counts as spaces while it is summed up. */
const SUM_AT = 148;
const SIZE_AT = 124;
const SIZE_DIGITS = 11;
const NAME_BYTES = 100;

export interface TarEntry {
  /** At most 100 bytes; of a folder with a slash at its end. */
  readonly path: string;
  readonly mode: number;
  readonly sizeBytes: number;
}

/** What stands before an entry's content. */
export const renderTarHeader = ({ path, mode, sizeBytes }: TarEntry): Buffer => {
  const header = Buffer.alloc(BLOCK);
  const fields: readonly (readonly [number, string])[] = [
    [0, path],
    [100, octal(mode, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [SIZE_AT, octal(sizeBytes, SIZE_DIGITS)],
    [136, octal(0, 11)],
    [SUM_AT, ' '.repeat(8)],
    [156, path.endsWith('/') ? '5' : '0'],
    [257, 'ustar\0'],
    [263, '00'],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, SUM_AT, 'latin1');
  return header;
};

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

/** What fills an entry's last block. */
export const tarPadding = (sizeBytes: number): Buffer => Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK);

export const TAR_END = Buffer.alloc(2 * BLOCK);

export interface TarFile extends TarEntry {
  open(): AsyncIterable<Uint8Array>;
}

/** Throws `contract` when a file is not as long as it says: everything behind it would be read wrongly. */
export async function* packTar(files: readonly TarFile[]): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    yield renderTarHeader(file);
    let sent = 0;
    for await (const piece of file.open()) {
      sent += piece.length;
      if (sent > file.sizeBytes) break;
      yield piece;
    }
    if (sent !== file.sizeBytes) throw otherSize(file);
    yield tarPadding(sent);
  }
  yield TAR_END;
}

const otherSize = ({ path, sizeBytes }: TarFile): FleetError =>
  new FleetError('contract', {
    code: 'FileSizeChanged',
    message: `${path} is not ${sizeBytes} bytes long, as was said of it`,
    hint: 'The file was changed while it was in use. Start again with a file that stays as it is.',
  });

/** The files of an archive in memory, by their names; what is cut off is left out. */
export const readTar = (archive: Buffer): ReadonlyMap<string, Buffer> => {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + BLOCK);
    const sizeBytes = Number.parseInt(header.toString('latin1', SIZE_AT, SIZE_AT + SIZE_DIGITS), 8);
    const from = at + BLOCK;
    const content = archive.subarray(from, from + sizeBytes);
    if (content.length === sizeBytes) files.set(textAt(header), content);
    at = from + sizeBytes + tarPadding(sizeBytes).length;
  }
  return files;
};

const textAt = (header: Buffer): string => header.toString('latin1', 0, NAME_BYTES).replace(/\0.*$/s, '');
