/** Adapter: a way to a TCP port whose connections can be broken at any time, as a bad network does. */
import { connect } from 'node:net';
import { type LoopbackServer, openLoopbackServer } from '../../../sim/mac/loopback-server.ts';

export const openBreakableWay = (to: { readonly host: string; readonly port: number }): Promise<LoopbackServer> =>
  openLoopbackServer({}, (near) => {
    const far = connect(to);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  });
