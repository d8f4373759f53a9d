import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { packTar, readTar, type TarFile } from './tar.ts';

const fileOf = (path: string, content: string, sizeBytes = content.length): TarFile => ({
  ...{ path, mode: 0o600, sizeBytes },
  async *open() {
    for (let at = 0; at < content.length; at += 700) yield Buffer.from(content.slice(at, at + 700));
  },
});

const pack = async (...files: readonly TarFile[]): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of packTar(files)) pieces.push(piece);
  return Buffer.concat(pieces);
};

const FILES = { empty: '', short: 'short\n', block: 'b'.repeat(512), long: 'long\n'.repeat(1_000) };

test('files of every length are read as they were packed, by us and by tar', async () => {
  const archive = await pack(...Object.entries(FILES).map(([path, content]) => fileOf(path, content)));
  assert.deepEqual(
    [...readTar(archive)].map(([path, content]) => [path, content.toString()]),
    Object.entries(FILES),
  );
  for (const [path, content] of Object.entries(FILES))
    assert.equal(execFileSync('tar', ['-x', '-O', '-f', '-', path], { input: archive, encoding: 'utf8' }), content);
});

for (const { story, sizeBytes } of [
  { story: 'longer', sizeBytes: 4 },
  { story: 'shorter', sizeBytes: 2_000 },
]) {
  test(`a file that is ${story} than it says ends the archive with an error`, async () => {
    await assert.rejects(pack(fileOf('file', 'x'.repeat(1_000), sizeBytes)), {
      kind: 'contract',
      code: 'FileSizeChanged',
    });
  });
}

test('of an archive that was cut off the whole files are read', async () => {
  const archive = await pack(fileOf('a', 'whole'), fileOf('b', 'x'.repeat(2_000)));
  assert.deepEqual([...readTar(archive.subarray(0, 2_000)).keys()], ['a']);
});
