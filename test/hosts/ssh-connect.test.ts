/** Getting into a real sshd, and not getting in. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { FleetError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HostTarget } from '../../src/hosts/port.ts';
import { DEFAULT_SSH_TIMES, openSshConnection } from '../../src/hosts/ssh/ssh-connection.ts';
import { openSshKeyFrom } from '../../src/pki/openssh-key.ts';
import { bash, clock, connectFor, outcome, signal, sshdFor, textOf } from './sshd-stage.ts';

const options = { clock, ...DEFAULT_SSH_TIMES };

test('T-73: the fingerprint is the one that ssh-keygen prints, and the pin then fits', async (t) => {
  const sshd = await sshdFor(t);
  const file = join(sshd.dir, 'key.pub');
  writeFileSync(file, sshd.hostKey);
  const printed = execFileSync('ssh-keygen', ['-l', '-E', 'sha256', '-f', file], { encoding: 'utf8' }).split(' ')[1];
  const first = await connectFor(t, sshd.target);
  assert.equal(first.hostKey, printed);
  const second = await connectFor(t, { ...sshd.target, pinnedHostKey: printed });
  assert.equal(textOf(await second.run(bash('echo in'), signal)), 'in\n');
});

test('T-73, F38: another key than the pinned one ends the handshake before anybody logs in', async (t) => {
  const sshd = await sshdFor(t);
  const target = { ...sshd.target, pinnedHostKey: `SHA256:${'A'.repeat(43)}` };
  assert.equal(await outcome(openSshConnection(target, options, signal)), 'denied HostKeyChanged');
  assert.doesNotMatch(sshd.log(), /Accepted|Failed publickey|Postponed/);
});

test('a key that is not authorised is told as such after one attempt', async (t) => {
  const sshd = await sshdFor(t);
  const stranger = openSshKeyFrom(Buffer.alloc(32, 7)).privateKey;
  const target = { ...sshd.target, privateKey: stranger };
  assert.equal(await outcome(openSshConnection(target, options, signal)), 'denied AuthenticationFailed');
  assert.equal(sshd.log().match(/Failed /g)?.length ?? 0, 1, sshd.log());
});

test('a text that is no key is refused without its text', async (t) => {
  const { target } = await sshdFor(t);
  const broken = { ...target, privateKey: new Secret('canary-key-4711') };
  await assert.rejects(openSshConnection(broken, options, signal), (error) => {
    assert.ok(error instanceof FleetError);
    assert.equal(`${error.kind} ${error.code}`, 'invalid BadPrivateKey');
    assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /canary/);
    return true;
  });
});

/** A peer on the loopback that behaves as `greet` says. */
const peerFor = async (t: TestContext, target: HostTarget, greet: (socket: Socket) => void): Promise<HostTarget> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.resume();
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { ...target, port: address.port };
};

const flood = (socket: Socket, chunk: Buffer): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
};

const PEERS: readonly { readonly peer: string; readonly greet: (socket: Socket) => void; readonly why: string }[] = [
  { peer: 'that never says a word', greet: () => undefined, why: 'unavailable DeadlineExceeded' },
  { peer: 'that hangs up at once', greet: (socket) => socket.destroy(), why: 'unavailable HostUnreachable' },
  {
    peer: 'that floods us with lines before its greeting',
    greet: (socket) => flood(socket, Buffer.from(`${'banner '.repeat(100)}\r\n`.repeat(50))),
    why: 'unavailable DeadlineExceeded',
  },
  {
    peer: 'that floods us with one line without an end',
    greet: (socket) => flood(socket, Buffer.alloc(65_536, 'x')),
    why: 'contract HostNotSpeakingSsh',
  },
  {
    peer: 'that sends binary garbage after its greeting',
    greet: (socket) => {
      socket.write('SSH-2.0-garbage\r\n');
      flood(socket, Buffer.alloc(4_096, 0xfe));
    },
    why: 'contract HostNotSpeakingSsh',
  },
  {
    peer: 'that is an HTTP server',
    greet: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    why: 'unavailable HostUnreachable',
  },
];

for (const { peer, greet, why } of PEERS) {
  test(`a peer ${peer} is given up as ${why}, in bounded memory`, async (t) => {
    const { target } = await sshdFor(t);
    const peerTarget = await peerFor(t, target, greet);
    const before = process.memoryUsage().rss;
    assert.equal(await outcome(openSshConnection(peerTarget, { ...options, connectTimeoutMs: 1_500 }, signal)), why);
    const grownMb = (process.memoryUsage().rss - before) / 2 ** 20;
    assert.ok(grownMb < 150, `${grownMb} MB`);
  });
}

test('a banner of a megabyte before the login does not disturb it', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-banner-'));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'banner'), `${'welcome '.repeat(16)}\n`.repeat(8_192));
  const sshd = await sshdFor(t, { config: [`Banner ${join(dir, 'banner')}`] });
  const connection = await connectFor(t, sshd.target);
  assert.equal(textOf(await connection.run(bash('echo in'), signal)), 'in\n');
});

test('a port where nobody listens is refused as unreachable', async (t) => {
  const sshd = await sshdFor(t);
  await sshd.stop();
  assert.equal(await outcome(openSshConnection(sshd.target, options, signal)), 'unavailable HostUnreachable');
});

test('200 sessions at once all get in and answer', async (t) => {
  const { target } = await sshdFor(t);
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const connection = await openSshConnection(target, { ...options, connectTimeoutMs: 60_000 }, signal);
      const text = textOf(await connection.run(bash('echo "$1"', String(index)), signal));
      await connection.close();
      return text;
    }),
  );
  assert.deepEqual(
    answers,
    Array.from({ length: 200 }, (_, index) => `${index}\n`),
  );
});
