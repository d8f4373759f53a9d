/**
 * Many watchers on few connections of HTTP/2, as the programs of a cluster have them: whatever a client of client-go
 * watches, it watches on one connection. Frames are read by hand, so that what is measured is the server; a watcher has the
 * event when the whole of it has arrived and is decrypted.
 */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { FleetError } from '../../src/base/errors.ts';
import {
  createFrameReader,
  FRAME,
  renderAcknowledgement,
  renderGreeting,
  renderRequest,
} from '../../src/controlplane/https/testing/http2-frames.ts';
import type { Login } from './login.ts';
import type { Watchers } from './watchers.ts';

export interface Sharing {
  readonly connections: number;
  readonly watchersEach: number;
}

interface Arriving {
  readonly timesMs: number[];
  readonly all: () => void;
}

interface Scene {
  readonly login: Login;
  readonly path: string;
  readonly sharing: Sharing;
  arriving: Arriving | undefined;
}

const EVENT = Buffer.from('{"type":"');
const SETTLE_MS = 500;

export const openSharedWatchers = async (login: Login, path: string, sharing: Sharing): Promise<Watchers> => {
  const scene: Scene = { login, path, sharing, arriving: undefined };
  const sockets: TLSSocket[] = [];
  // One after the other: each watch begins with everything there is, and a server counts what waits to be sent.
  while (sockets.length < sharing.connections) sockets.push(await openConnection(scene));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return {
    arrivals: async (cause) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const arriving: Arriving = { timesMs: [], all: resolve };
      scene.arriving = arriving;
      await cause();
      await promise;
      scene.arriving = undefined;
      return arriving.timesMs;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
};

const openConnection = async (scene: Scene): Promise<TLSSocket> => {
  const { login, path, sharing } = scene;
  const { server, ca, cert, key } = login;
  const socket = connect({
    ...{ host: server.hostname, port: Number(server.port), ca, cert, key },
    ...{ ALPNProtocols: ['h2'], noDelay: true },
  });
  await once(socket, 'secureConnect');
  const opened = Promise.withResolvers<void>();
  let answered = 0;
  socket.on(
    'data',
    createFrameReader((frame) => {
      const { type, payload } = frame;
      if (type === FRAME.data && EVENT.equals(payload.subarray(0, EVENT.length))) noteArrival(scene);
      else if (type === FRAME.headers && ++answered === sharing.watchersEach) opened.resolve();
      else if (type === FRAME.goaway || type === FRAME.reset) opened.reject(refused(payload));
      const acknowledgement = renderAcknowledgement(frame);
      if (acknowledgement !== undefined) socket.write(acknowledgement);
    }),
  );
  const head = { ':method': 'GET', ':scheme': 'https', ':path': path, ':authority': server.host };
  const requests = Array.from({ length: sharing.watchersEach }, (_, at) => renderRequest(2 * at + 1, head));
  socket.write(Buffer.concat([renderGreeting(), ...requests]));
  await opened.promise;
  return socket;
};

const noteArrival = ({ arriving, sharing }: Scene): void => {
  const expected = sharing.connections * sharing.watchersEach;
  if (arriving?.timesMs.push(performance.now()) === expected) arriving.all();
};

const refused = (payload: Uint8Array): FleetError =>
  new FleetError('unavailable', {
    code: 'BenchRequestFailed',
    message: `the watches were refused: ${Buffer.from(payload).toString('hex')}`,
  });
