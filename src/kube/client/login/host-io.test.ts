import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createHostIo, readRequired } from './host-io.ts';

const host = createHostIo();
const node = (script: string, timeoutMs = 20_000) =>
  host.run({ file: process.execPath, args: ['-e', script], env: { GREETING: 'hello' }, timeoutMs });

describe('the machine we run on', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'host-io-'));
  after(() => rm(directory, { recursive: true }));

  it('gives a file, says when there is none, and fails when it cannot tell', async () => {
    const path = join(directory, 'file');
    await writeFile(path, 'text');
    assert.equal(await host.readText(path), 'text');
    assert.equal(await host.readText(join(directory, 'none')), undefined);
    await assert.rejects(host.readText(directory), { kind: 'denied', code: 'FileUnreadable' });
    await assert.rejects(readRequired(host, join(directory, 'none')), {
      code: 'FileUnreadable',
      message: /none does not exist/,
    });
  });

  it('runs a command with our environment and more, and no input', async () => {
    const output = await node(
      'process.stdin.on("end", () => console.log(process.env.GREETING, "PATH" in process.env)).resume()',
    );
    assert.deepEqual(output, { exitCode: 0, stdout: 'hello true\n', stderr: '' });
  });

  it('gives the exit code and what was said', async () => {
    assert.deepEqual(await node('console.error("no"); process.exit(3)'), { exitCode: 3, stdout: '', stderr: 'no\n' });
  });

  it('ends a command that does not end', async () => {
    const { exitCode, problem } = await node('setInterval(() => 0, 1000)', 100);
    assert.equal(exitCode, undefined);
    assert.match(problem ?? '', /did not end within 100 ms/);
  });

  it('says that a command does not exist, or must not be run', async () => {
    const missing = await host.run({ file: join(directory, 'none'), args: [], env: {}, timeoutMs: 1_000 });
    assert.deepEqual(missing, { exitCode: undefined, stdout: '', stderr: '', problem: 'was not found' });
    const forbidden = await host.run({ file: directory, args: [], env: {}, timeoutMs: 1_000 });
    assert.match(forbidden.problem ?? '', /could not be run \(EACCES\)/);
  });
});
