/**
 * Many watchers that cost this process as little as possible, so that what is measured is the server. While an event is
 * awaited, a watcher only notes when its first bytes arrive on the TCP connection and keeps them; what they say is
 * decrypted and checked afterwards, outside the time that is measured.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { FleetError } from '../../src/base/errors.ts';
import type { Login } from './login.ts';

export interface Watchers {
  /** Runs `cause`, and says for each watcher when the event had arrived (`performance.now`). */
  arrivals(cause: () => Promise<unknown>): Promise<readonly number[]>;
  close(): void;
}

interface Arriving {
  readonly timesMs: number[];
  readonly held: (() => void)[];
  readonly all: () => void;
}

/** What all watchers share: whether an event is awaited, and a buffer that each read is done with before the next. */
interface Scene {
  readonly login: Login;
  readonly path: string;
  readonly count: number;
  readonly buffer: Buffer;
  arriving: Arriving | undefined;
  /** Events that were read after all. */
  events: number;
}

const OPENED_AT_ONCE = 50;
const READ_BYTES = 64 * 1024;
const SETTLE_MS = 500;

export const openWatchers = async (login: Login, path: string, count: number): Promise<Watchers> => {
  const scene: Scene = { login, path, count, buffer: Buffer.alloc(READ_BYTES), arriving: undefined, events: 0 };
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => openWatcher(scene)))));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return {
    arrivals: (cause) => awaitArrivals(scene, cause),
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

const awaitArrivals = async (scene: Scene, cause: () => Promise<unknown>): Promise<readonly number[]> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const arriving: Arriving = { timesMs: [], held: [], all: resolve };
  scene.arriving = arriving;
  scene.events = 0;
  await cause();
  await promise;
  scene.arriving = undefined;
  for (const release of arriving.held) release();
  // TLS hands out what it decrypted within the next turns.
  for (let turn = 0; scene.events < scene.count && turn < TURNS_MAX; turn += 1) await new Promise(setImmediate);
  if (scene.events === scene.count) return arriving.timesMs;
  const message = `${scene.events} of ${scene.count} watchers saw the event`;
  throw new FleetError('unavailable', { code: 'BenchEventLost', message });
};

const TURNS_MAX = 1_000;

const openWatcher = async (scene: Scene): Promise<Socket> => {
  const { login, path } = scene;
  const { hostname: host, port } = login.server;
  const raw = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
  });
  let hasArrived: Arriving | undefined;
  const callback = (bytes: number, buffer: Uint8Array): boolean => {
    const { arriving } = scene;
    const chunk = Buffer.from(buffer.subarray(0, bytes));
    if (arriving === undefined) raw.push(chunk);
    else {
      arriving.held.push(() => raw.push(chunk));
      if (hasArrived !== arriving && arriving.timesMs.push(performance.now()) === scene.count) arriving.all();
      hasArrived = arriving;
    }
    return true;
  };
  const socket = connect({ host, port: Number(port), noDelay: true, onread: { buffer: scene.buffer, callback } });
  const { ca, cert, key } = login;
  const tls = connectTls({ socket: raw, host, ca, cert, key, ALPNProtocols: ['http/1.1'] });
  await once(tls, 'secureConnect');
  tls.write(`GET ${path} HTTP/1.1\r\nHost: ${login.server.host}\r\nAccept: application/json\r\n\r\n`);
  await readHead(tls);
  tls.on('data', (chunk: Buffer) => {
    if (chunk.includes('"type":"')) scene.events += 1;
  });
  return socket;
};

const readHead = async (tls: TLSSocket): Promise<void> => {
  const [head] = await once(tls, 'data');
  if (String(head).startsWith('HTTP/1.1 200')) return;
  const message = `the watch was refused: ${String(head).slice(0, 300)}`;
  throw new FleetError('unavailable', { code: 'BenchRequestFailed', message });
};
