/** Files onto a real sshd: whole or not at all. */
import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import type { Upload } from '../../src/hosts/ssh/upload.ts';
import { bash, connectFor, outcome, signal, sshdFor, textOf, until } from './sshd-stage.ts';

const MEBIBYTE = 2 ** 20;
const UPLOAD_BYTES = 110_000_000;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that look random and are the same in every run. */
const noise = (length: number): Buffer =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16, 2)).update(Buffer.alloc(length));

const uploadOf = (path: string, bytes: Buffer): Upload => ({
  ...{ path, sha256: sha256(bytes), mode: '755', timeoutMs: 60_000 },
  content: piecesOf(bytes),
});

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

/** The first half, and then nothing more for ever. */
async function* halfOf(bytes: Buffer, onHalf: () => void): AsyncGenerator<Uint8Array> {
  yield* piecesOf(bytes.subarray(0, bytes.length / 2));
  onHalf();
  await new Promise(() => undefined);
}

test('110 MB arrive as they were sent, on an inode of their own, with nothing left beside them', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const path = join(sshd.dir, "agent's file");
  writeFileSync(path, 'old');
  const oldInode = statSync(path).ino;
  const bytes = noise(UPLOAD_BYTES);
  await connection.upload(uploadOf(path, bytes), signal);
  assert.equal(sha256(readFileSync(path)), sha256(bytes));
  assert.equal(statSync(path).mode & 0o777, 0o755);
  assert.notEqual(statSync(path).ino, oldInode);
  assert.deepEqual(readdirSync(sshd.dir), ["agent's file"]);
});

test('a file that differs from its checksum is thrown away, and the old one stays', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const path = join(sshd.dir, 'agent');
  writeFileSync(path, 'old');
  const wrong = { ...uploadOf(path, noise(MEBIBYTE)), sha256: '0'.repeat(64) };
  assert.equal(await outcome(connection.upload(wrong, signal)), 'unavailable UploadDamaged');
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.deepEqual(readdirSync(sshd.dir), ['agent']);
});

test('a connection that breaks in the middle leaves the old file and nothing else', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const path = join(sshd.dir, 'agent');
  writeFileSync(path, 'old');
  const pid = Number(textOf(await connection.run(bash('p=$PPID; ps -o ppid= -p "$p"'), signal)));
  const bytes = noise(4 * MEBIBYTE);
  const half = Promise.withResolvers<void>();
  const lost = outcome(connection.upload({ ...uploadOf(path, bytes), content: halfOf(bytes, half.resolve) }, signal));
  await half.promise;
  await until('something arrived', () => readdirSync(sshd.dir).some((name) => name.startsWith('.agent.')));
  process.kill(pid, 'SIGKILL');
  assert.equal(await lost, 'unavailable HostConnectionLost');
  await until('it was removed', () => readdirSync(sshd.dir).join() === 'agent');
  assert.equal(readFileSync(path, 'utf8'), 'old');
});

test('an upload that is cancelled leaves the old file and nothing else', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const path = join(sshd.dir, 'agent');
  const bytes = noise(4 * MEBIBYTE);
  const half = Promise.withResolvers<void>();
  const controller = new AbortController();
  const content = halfOf(bytes, half.resolve);
  const ended = outcome(connection.upload({ ...uploadOf(path, bytes), content }, controller.signal));
  await half.promise;
  await until('something arrived', () => readdirSync(sshd.dir).some((name) => name.startsWith('.agent.')));
  controller.abort();
  assert.equal(await ended, 'cancelled Cancelled');
  await until('it was removed', () => readdirSync(sshd.dir).length === 0);
});

test('a leftover of an earlier upload to the same place is removed by the next', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  writeFileSync(join(sshd.dir, '.agent.macfleet-upload.Ab12Cd'), 'half a file');
  await connection.upload(uploadOf(join(sshd.dir, 'agent'), noise(10)), signal);
  assert.deepEqual(readdirSync(sshd.dir), ['agent']);
});

test('a folder that does not exist is told with what the host said', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const upload = connection.upload(uploadOf(join(sshd.dir, 'no', 'agent'), noise(10)), signal);
  await assert.rejects(upload, /could not be written on the Mac.*No such file or directory/);
});

test('a full disk is told as such', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const tools = join(sshd.dir, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'cat'), '#!/bin/sh\nexec /bin/cat >/dev/full\n');
  chmodSync(join(tools, 'cat'), 0o755);
  writeFileSync(join(sshd.home, '.bashrc'), `export PATH=${tools}:$PATH\n`);
  const upload = connection.upload(uploadOf(join(sshd.dir, 'agent'), noise(MEBIBYTE)), signal);
  assert.equal(await outcome(upload), 'unavailable HostDiskFull');
  assert.deepEqual(readdirSync(sshd.dir), ['tools']);
});
