import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { keepCode, readCode } from './code-cache.ts';

const CODE = Buffer.from('what the engine made of it');
const SOURCE = 'run();';

describe('compiled code on the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-code-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is there again for the same source, and for nobody but its owner', () => {
    const path = join(folder, 'kept');
    keepCode(path, SOURCE, CODE);
    assert.deepEqual(readCode(path, SOURCE), CODE);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('takes the place of what was kept before', () => {
    const path = join(folder, 'replaced');
    keepCode(path, 'old();', Buffer.from('old'));
    keepCode(path, SOURCE, CODE);
    assert.deepEqual(readCode(path, SOURCE), CODE);
  });

  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const rows: readonly { story: string; spoil: (path: string) => void; source?: string }[] = [
    { story: 'another source of the same length', spoil: () => undefined, source: 'ran();' },
    { story: 'a bit that turned over in the code', spoil: (path) => flip(path, 40) },
    { story: 'a bit that turned over in the sum', spoil: (path) => flip(path, 3) },
    { story: 'an end that is missing', spoil: (path) => truncateSync(path, 40) },
    { story: 'zeros, as after a loss of power', spoil: (path) => writeFileSync(path, Buffer.alloc(58)) },
    { story: 'a file with nothing in it', spoil: (path) => truncateSync(path, 0) },
    { story: 'no file', spoil: (path) => rmSync(path) },
    {
      story: 'a folder',
      spoil: (path) => {
        rmSync(path);
        mkdirSync(path);
      },
    },
  ];
  for (const [at, { story, spoil, source = SOURCE }] of rows.entries()) {
    it(`is not used: ${story}`, () => {
      const path = join(folder, String(at));
      keepCode(path, SOURCE, CODE);
      spoil(path);
      assert.equal(readCode(path, source), undefined);
    });
  }

  it('is not kept where nothing can be written, and that is told', () => {
    assert.throws(() => keepCode(join(folder, 'no-such-folder', 'code'), SOURCE, CODE), /ENOENT/);
  });
});
