/** Files onto a real sshd: whole or not at all. */
import assert from 'node:assert/strict';
import { createCipheriv, createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Artefact } from '../../src/hosts/port.ts';
import type { Upload } from '../../src/hosts/ssh/upload.ts';
import { bash, connectFor, outcome, signal, sshdFor, textOf, until } from './sshd-stage.ts';

const MEBIBYTE = 2 ** 20;
const UPLOAD_BYTES = 110_000_000;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that look random and are the same in every run. */
const noise = (length: number): Buffer =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16, 2)).update(Buffer.alloc(length));

const fileOf = (bytes: Buffer, more: Partial<Artefact> = {}): Artefact => ({
  ...{ name: 'agent', sha256: sha256(bytes), sizeBytes: bytes.length, open: () => piecesOf(bytes) },
  ...more,
});

const uploadOf = (folder: string, ...files: readonly Artefact[]): Upload => ({ folder, files, timeoutMs: 60_000 });

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
  const folder = join(sshd.dir, "the agent's");
  const bytes = noise(UPLOAD_BYTES);
  const path = join(folder, sha256(bytes));
  mkdirSync(folder);
  writeFileSync(path, 'old');
  const oldInode = statSync(path).ino;
  await connection.upload(uploadOf(folder, fileOf(bytes)), signal);
  assert.equal(sha256(readFileSync(path)), sha256(bytes));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.notEqual(statSync(path).ino, oldInode);
  assert.deepEqual(readdirSync(folder), [sha256(bytes)]);
});

test('several files come by one command, and no file is none', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const files = [noise(MEBIBYTE), noise(0), noise(1_000)];
  await connection.upload(uploadOf(sshd.dir, ...files.map((bytes) => fileOf(bytes))), signal);
  for (const bytes of files) assert.deepEqual(readFileSync(join(sshd.dir, sha256(bytes))), bytes);
  await connection.upload(uploadOf(sshd.dir), signal);
  assert.equal(readdirSync(sshd.dir).length, 3);
});

test('a file that differs from its checksum is thrown away and named, and the old one stays', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const wrong = fileOf(noise(MEBIBYTE), { sha256: '0'.repeat(64) });
  const path = join(sshd.dir, wrong.sha256);
  writeFileSync(path, 'old');
  await assert.rejects(connection.upload(uploadOf(sshd.dir, wrong), signal), {
    code: 'UploadDamaged',
    message: new RegExp(`^agent did not arrive .* is ${sha256(noise(MEBIBYTE))}, not 0{64}$`),
  });
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.deepEqual(readdirSync(sshd.dir), [wrong.sha256]);
});

test('a file that is shorter than was said ends the upload, and leaves nothing', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const cut = fileOf(noise(1_000), { sizeBytes: 2_000 });
  assert.equal(await outcome(connection.upload(uploadOf(sshd.dir, cut), signal)), 'contract FileSizeChanged');
  await until('it was removed', () => readdirSync(sshd.dir).length === 0);
});

/** The first half was sent, something of it arrived, and the rest never comes. */
const halfSent = async (t: TestContext) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const bytes = noise(4 * MEBIBYTE);
  const path = join(sshd.dir, sha256(bytes));
  writeFileSync(path, 'old');
  const pid = Number(textOf(await connection.run(bash('p=$PPID; ps -o ppid= -p "$p"'), signal)));
  const half = Promise.withResolvers<void>();
  const controller = new AbortController();
  const file = fileOf(bytes, { open: () => halfOf(bytes, half.resolve) });
  const ended = outcome(connection.upload(uploadOf(sshd.dir, file), controller.signal));
  await half.promise;
  await until('something arrived', () => readdirSync(sshd.dir).some((name) => name.startsWith('.')));
  const isAsBefore = (): boolean => readdirSync(sshd.dir).length === 1 && readFileSync(path, 'utf8') === 'old';
  return { pid, controller, ended, isAsBefore };
};

test('a connection that breaks in the middle leaves the old file and nothing else', async (t) => {
  const { pid, ended, isAsBefore } = await halfSent(t);
  process.kill(pid, 'SIGKILL');
  assert.equal(await ended, 'unavailable HostConnectionLost');
  await until('it is as before', isAsBefore);
});

test('an upload that is cancelled leaves the old file and nothing else', async (t) => {
  const { controller, ended, isAsBefore } = await halfSent(t);
  controller.abort();
  assert.equal(await ended, 'cancelled Cancelled');
  await until('it is as before', isAsBefore);
});

test('a leftover of an earlier upload of the same is removed by the next', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const file = fileOf(noise(10));
  const leftover = join(sshd.dir, `.${file.sha256}.macfleet-upload.4711`);
  mkdirSync(leftover);
  writeFileSync(join(leftover, file.sha256), 'half a file');
  await connection.upload(uploadOf(sshd.dir, file), signal);
  assert.deepEqual(readdirSync(sshd.dir), [file.sha256]);
});

test('a folder that does not exist is told with what the host said', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const upload = connection.upload(uploadOf(join(sshd.dir, 'no', 'folder'), fileOf(noise(10))), signal);
  await assert.rejects(upload, /agent could not be written on the Mac.*No such file or directory/);
});

test('a full disk is told as such', async (t) => {
  const sshd = await sshdFor(t);
  const connection = await connectFor(t, sshd.target);
  const tools = join(sshd.dir, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'tar'), '#!/bin/sh\nexec /bin/cat >/dev/full\n');
  chmodSync(join(tools, 'tar'), 0o755);
  writeFileSync(join(sshd.home, '.bashrc'), `export PATH=${tools}:$PATH\n`);
  const upload = connection.upload(uploadOf(sshd.dir, fileOf(noise(MEBIBYTE))), signal);
  assert.equal(await outcome(upload), 'unavailable HostDiskFull');
  assert.deepEqual(readdirSync(sshd.dir), ['tools']);
});
