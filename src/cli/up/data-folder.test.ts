import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openSqliteLog } from '../../controlplane/store/sqlite-log.ts';
import { runCli } from '../run-cli.ts';
import { openDataFolder } from './data-folder.ts';

const scratch = mkdtempSync(join(tmpdir(), 'macfleet-data-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const up = async (...args: readonly string[]) => {
  let stderr = '';
  const io = {
    stdout: () => undefined,
    stderr: (text: string) => {
      stderr += text;
    },
    env: {},
  };
  const signal = new AbortController().signal;
  const run = ['up', '--macs-as', 'step-level', '--until', 'ready', ...args];
  return { exitCode: await runCli({ args: run, version: '0', io: { ...io, signal } }), stderr };
};

/** What is wrong, what to do, and nothing of a stack. */
const assertClear = ({ exitCode, stderr }: Awaited<ReturnType<typeof up>>, code: string, says: RegExp): void => {
  assert.match(stderr, new RegExp(`^ {2}code: ${code}$`, 'm'), stderr);
  assert.match(stderr, says);
  assert.match(stderr, /^ {2}what to do: \S/m);
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.notEqual(exitCode, 0);
};

describe('up with a data folder', () => {
  it('says so when it may not write there', {
    skip: process.getuid?.() === 0 ? 'root may write anywhere' : false,
  }, async () => {
    const data = join(scratch, 'read-only');
    mkdirSync(data);
    chmodSync(data, 0o500);
    assertClear(await up('--data', data), 'DataFolderUnusable', /EACCES/);
  });

  it('says so when the disk is full', {
    skip: existsSync('/dev/full') ? false : 'there is no /dev/full here',
  }, async () => {
    assertClear(await up('--data', '/dev/full'), 'DataFolderUnusable', /cannot use \/dev\/full/);
  });

  it('says so when its database is damaged, and begins anew with --clean', async () => {
    const data = join(scratch, 'damaged');
    mkdirSync(data);
    const files = ['state.sqlite', 'simulation.json', 'notes.txt'].map((name) => join(data, name));
    for (const file of files) writeFileSync(file, 'no database at all, and longer than a header of one is'.repeat(50));
    rmSync(join(data, 'simulation.json'));
    assertClear(
      await up('--data', data),
      'StoreDamaged',
      /state\.sqlite[\s\S]*what to do: .*--data \S*damaged --clean/,
    );
    openDataFolder({ data, clean: true });
    assert.deepEqual(files.map(existsSync), [false, false, true], 'what is not its own stays');
  });

  it('does not throw away what another up has open', () => {
    const data = join(scratch, 'open');
    mkdirSync(data);
    const log = openSqliteLog(join(data, 'state.sqlite'));
    assert.throws(() => openDataFolder({ data, clean: true }), { code: 'StoreInUse' });
    log.close();
    openDataFolder({ data, clean: true });
    assert.equal(existsSync(join(data, 'state.sqlite')), false);
  });

  it('says so when the port is taken', async (t) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    assertClear(await up('--port', String(port)), 'CannotListen', new RegExp(`${port}`));
  });
});
