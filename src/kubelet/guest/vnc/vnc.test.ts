import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { parseCidr } from '../../../base/cidr.ts';
import { createSystemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { createMemoryFiles } from '../../../sim/tart/step/memory-files.ts';
import { samplePod } from '../../pods/testing/pod-samples.ts';
import { DEFAULT_SOURCES } from '../forward/forwarder.ts';
import { createByteReader } from './byte-reader.ts';
import { renderVncAnnotations, VNC_ANNOTATIONS, wantedRelay } from './plan-vnc.ts';
import { isTokenLine, type OpenRelay } from './relay.ts';
import { createRelays } from './relay-server.ts';
import { answerChallenge } from './rfb.ts';
import { openVncDesk } from './vnc-desk.ts';

const PASSWORD = 'w1-w2-w3-w4';
const TOKEN = 'the token';
const HASH = createHash('sha256').update(TOKEN).digest('base64url');
const CHALLENGE = Buffer.from('0123456789abcdef');

/** A screen that wants its password, and then says back what it hears. */
const serveScreen = async (t: TestContext, version: '003' | '007' | '008'): Promise<number> => {
  const server = createServer((socket) => void greet(socket, version).catch(() => socket.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
};

const greet = async (socket: Socket, version: string): Promise<void> => {
  socket.on('error', () => socket.destroy());
  const chunks = socket.iterator({ destroyOnReturn: false });
  const reader = createByteReader(chunks);
  socket.write(`RFB 003.${version}\n`);
  assert.equal((await reader.exactly(12)).toString(), `RFB 003.${version}\n`);
  if (version === '003') socket.write(Buffer.of(0, 0, 0, 2));
  else {
    socket.write(Buffer.of(2, 1, 2));
    assert.deepEqual(await reader.exactly(1), Buffer.of(2));
  }
  socket.write(CHALLENGE);
  const isRight = (await reader.exactly(16)).equals(answerChallenge(CHALLENGE, PASSWORD));
  socket.write(Buffer.of(0, 0, 0, isRight ? 0 : 1));
  await chunks.return?.();
  socket.write(reader.rest());
  socket.pipe(socket);
};

interface Setting extends Partial<OpenRelay> {
  readonly sources?: readonly string[];
  readonly version?: '003' | '007' | '008';
}

const openClient = async (t: TestContext, { sources, version = '008', ...relay }: Setting = {}) => {
  const port = await serveScreen(t, version);
  const startRelay = createRelays({
    ...{ clock: createSystemClock(), logger: silentLogger, host: '127.0.0.1', port: 0 },
    sources: sources?.map(parseCidr) ?? DEFAULT_SOURCES,
  });
  const opened = await startRelay({ endpoint: { host: '127.0.0.1', port, password: PASSWORD }, ...relay });
  const socket = connect({ host: '127.0.0.1', port: opened.port });
  socket.on('error', () => socket.destroy());
  t.after(async () => {
    socket.destroy();
    await opened.close();
    await opened.close();
  });
  const reader = createByteReader(socket.iterator({ destroyOnReturn: false }));
  return { socket, reader };
};

/** As a client of that version; gives what it was offered. */
const enter = async ({ socket, reader }: Awaited<ReturnType<typeof openClient>>, version: string): Promise<Buffer> => {
  assert.equal((await reader.exactly(12)).toString(), 'RFB 003.008\n');
  socket.write(`RFB 003.${version}\n`);
  if (version === '003') return reader.exactly(4);
  const offered = await reader.exactly((await reader.exactly(1)).readUInt8());
  socket.write(Buffer.of(1));
  if (version === '008') assert.equal((await reader.exactly(4)).readUInt32BE(), 0);
  return offered;
};

describe('a relay to a screen', () => {
  for (const version of ['003', '007', '008'] as const) {
    it(`§9.6-6 enters a screen of version ${version} with its password, and asks the client for none`, async (t) => {
      const client = await openClient(t, { version });
      const offered = await enter(client, version);
      assert.deepEqual(
        [...offered].filter((byte) => byte !== 0),
        [1],
        'None, and nothing else',
      );
      client.socket.write('picture, please');
      assert.equal((await client.reader.exactly(15)).toString(), 'picture, please');
    });
  }

  it('§9.6-6 takes a token first, and loses no byte that came with it', async (t) => {
    const client = await openClient(t, { tokenHash: HASH });
    client.socket.write(`tuist-vnc-token ${TOKEN}\nRFB 003.008\n`);
    assert.equal((await client.reader.exactly(12)).toString(), 'RFB 003.008\n');
    assert.deepEqual(await client.reader.exactly(2), Buffer.of(1, 1));
    client.socket.write(Buffer.concat([Buffer.of(1), Buffer.from('early')]));
    assert.equal((await client.reader.exactly(4)).readUInt32BE(), 0);
    assert.equal((await client.reader.exactly(5)).toString(), 'early');
  });

  for (const line of ['tuist-vnc-token wrong\n', 'RFB 003.008\n', `${'x'.repeat(2_000)}\n`]) {
    it(`§9.6-6 closes on ${line.slice(0, 24).trim()}`, async (t) => {
      const client = await openClient(t, { tokenHash: HASH });
      client.socket.write(line);
      await assert.rejects(client.reader.exactly(1));
    });
  }

  it('§9.6-5 closes on those who may not ask, without a word to the screen', async (t) => {
    const client = await openClient(t, { sources: ['10.0.0.0/8'] });
    await assert.rejects(client.reader.exactly(1));
  });

  it('closes when the screen does not take the password', async (t) => {
    const port = await serveScreen(t, '008');
    const client = await openClient(t, { endpoint: { host: '127.0.0.1', port, password: 'wrong' } });
    await assert.rejects(client.reader.exactly(12 + 2));
  });

  it('answers a challenge as another DES does', () =>
    // openssl enc -des-ecb -nopad -K 0e86ceceeef64e26, which is "password" with the bits of each byte reversed
    assert.equal(answerChallenge(Buffer.alloc(16), 'password').toString('hex'), 'ff97502e9422f089'.repeat(2)));

  it('K20: takes another port when its own is taken: two VMs have two screens', async (t) => {
    const options = { clock: createSystemClock(), logger: silentLogger, host: '127.0.0.1', sources: DEFAULT_SOURCES };
    const endpoint = { host: '127.0.0.1', port: 1, password: PASSWORD };
    const first = await createRelays({ ...options, port: 0 })({ endpoint });
    const second = await createRelays({ ...options, port: first.port })({ endpoint });
    t.after(() => Promise.all([first.close(), second.close()]));
    assert.notEqual(second.port, first.port);
  });

  it('knows a token by its hash alone', () => {
    assert.ok(isTokenLine(`tuist-vnc-token ${TOKEN}\r`, HASH));
    assert.ok(!isTokenLine(`tuist-vnc-token ${TOKEN}`, HASH.slice(1)));
    assert.ok(!isTokenLine(TOKEN, HASH));
  });
});

const runner = { 'tuist.dev/runner': 'true' };
const session = { [VNC_ANNOTATIONS.sessionId]: 's', [VNC_ANNOTATIONS.tokenHash]: HASH };

describe('who may see a screen', () => {
  const rows: readonly [story: string, metadata: object, file: 'asked' | 'not asked', wanted: object | undefined][] = [
    ['§9.4-8 an operator who put a file down', { labels: runner }, 'asked', {}],
    ['§9.4-8 nobody without one', { labels: runner }, 'not asked', undefined],
    [
      '§9.4-8 who knows the token of the server’s session',
      { labels: runner, annotations: session },
      'not asked',
      { tokenHash: HASH },
    ],
    [
      '§9.4-8 nobody by a session without a hash',
      { labels: runner, annotations: { ...session, [VNC_ANNOTATIONS.tokenHash]: '  ' } },
      'asked',
      undefined,
    ],
    ['§9.4-8 nobody of a Pod that is no runner', { annotations: session }, 'asked', undefined],
  ];
  for (const [story, metadata, file, wanted] of rows)
    it(story, () =>
      assert.deepEqual(
        wantedRelay(samplePod({ metadata }), () => file === 'asked'),
        wanted,
      ),
    );
});

describe('the desk of relays', () => {
  const createDesk = async () => {
    const files = createMemoryFiles({ now: () => 0, tell: (listener) => listener() });
    const relays: string[] = [];
    let port = 5_900;
    const desk = await openVncDesk({
      ...{ files, clock: createSystemClock(), logger: silentLogger, directory: '/vnc', host: 'mac-1.example' },
      vms: { vncOf: async () => ({ host: '127.0.0.1', port: 1, password: PASSWORD }) },
      startRelay: async ({ tokenHash = 'none' }) => {
        port += 1;
        relays.push(`open ${tokenHash}`);
        return { port, close: async () => void relays.push(`close ${tokenHash}`) };
      },
    });
    return { files, relays, desk };
  };

  it('§9.4-8 opens a relay that is asked for, tells where, and takes all of it away again', async () => {
    const { files, relays, desk } = await createDesk();
    const pod = samplePod({ metadata: { labels: runner } });
    files.now.write('/vnc/requests/ns_job', '');
    const told = await desk.follow(pod, 'vm');
    assert.equal(told[VNC_ANNOTATIONS.state], 'ready');
    assert.equal(told[VNC_ANNOTATIONS.host], 'mac-1.example');
    assert.equal(told[VNC_ANNOTATIONS.port], '5901');
    assert.doesNotMatch(JSON.stringify(told), new RegExp(PASSWORD));
    assert.match(files.now.textOf('/vnc/state/ns_job.json') ?? '', new RegExp(PASSWORD));
    assert.deepEqual(await desk.follow(pod, 'vm'), told, 'the same relay');
    files.now.remove('/vnc/requests/ns_job');
    assert.deepEqual(await desk.follow(pod, 'vm'), renderVncAnnotations(undefined));
    assert.equal(files.now.textOf('/vnc/state/ns_job.json'), undefined);
    assert.deepEqual(relays, ['open none', 'close none']);
  });

  it('opens another when the token changes, and ends with the VM', async () => {
    const { relays, desk } = await createDesk();
    const podWith = (hash: string) =>
      samplePod({ metadata: { labels: runner, annotations: { ...session, [VNC_ANNOTATIONS.tokenHash]: hash } } });
    await desk.follow(podWith('a'), 'vm');
    await desk.follow(podWith('b'), 'vm');
    await desk.end(podWith('b'), 'vm');
    assert.deepEqual(relays, ['open a', 'close a', 'open b', 'close b']);
  });
});
