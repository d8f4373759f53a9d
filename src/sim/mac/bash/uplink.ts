/** The way from a Mac to its cluster, as a switch (F56): a port of the loopback that leads to the cluster's, or to nobody. */
import { connect, type Socket } from 'node:net';
import { openLoopbackServer } from '../loopback-server.ts';

export interface Uplink {
  /** What the Mac is told to be the cluster's. */
  readonly port: number;
  /** Every connection breaks, and new ones too. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** To a port of the loopback. */
export const openUplink = async (clusterPort: number): Promise<Uplink> => {
  let isCut = false;
  const { port, close, dropAll } = await openLoopbackServer({}, (socket) => {
    if (isCut) socket.destroy();
    else join(socket, connect(clusterPort, '127.0.0.1'));
  });
  return {
    ...{ port, close },
    cut: () => {
      isCut = true;
      dropAll();
    },
    mend: () => {
      isCut = false;
    },
  };
};

/** Each ends with the other, in whatever way. */
const join = (one: Socket, other: Socket): void => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => from.destroy());
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
};
