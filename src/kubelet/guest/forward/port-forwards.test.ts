import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { parseCidr } from '../../../base/cidr.ts';
import { createSystemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { hostPortsOf } from './forwarder.ts';
import { createPortForwards } from './port-forwards.ts';

const BRIDGE = { address: '127.0.0.3', cidr: '127.0.0.3/8' };

/** A guest that says back what it hears, and a Mac that passes its port on. */
const openClient = async (t: TestContext, source: string) => {
  const reachedFrom: (string | undefined)[] = [];
  const guest = createServer((socket) => {
    reachedFrom.push(socket.remoteAddress);
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => guest.listen(0, '127.0.0.2', resolve));
  const { port } = guest.address() as AddressInfo;
  const forwarder = await createPortForwards({
    ...{ clock: createSystemClock(), logger: silentLogger, ownAddresses: () => [BRIDGE], sources: [parseCidr(source)] },
    mapAddress: () => '127.0.0.2',
  })({ host: '127.0.0.1', port, targetPort: port, upstream: async () => '192.168.64.5' });
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => socket.destroy());
  t.after(async () => {
    socket.destroy();
    await Promise.all([forwarder.close(), forwarder.close()]);
    guest.close();
  });
  return { socket, forwarder, reachedFrom };
};

const hear = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk)));
    socket.once('close', () => resolve('closed'));
  });

describe('a port of a Pod', () => {
  it('§9.6-5 §7-16 is passed on, byte by byte, from the bridge that the VM is on', async (t) => {
    const { socket, reachedFrom } = await openClient(t, '127.0.0.0/8');
    socket.write('ping');
    assert.equal(await hear(socket), 'ping');
    assert.deepEqual(reachedFrom, [BRIDGE.address]);
  });

  it('§9.6-5 is closed to those who may not, and the VM hears nothing of them', async (t) => {
    const { socket, reachedFrom } = await openClient(t, '10.0.0.0/8');
    socket.write('ping');
    assert.equal(await hear(socket), 'closed');
    assert.deepEqual(reachedFrom, []);
  });

  it('is closed with the VM', async (t) => {
    const { socket, forwarder } = await openClient(t, '127.0.0.0/8');
    socket.write('ping');
    await hear(socket);
    const closed = hear(socket);
    await forwarder.close();
    assert.equal(await closed, 'closed');
  });

  it('is one that it asks the host for, and not the one of its metrics, which has a way of its own', () => {
    const ports = [
      { containerPort: 80, hostPort: 8_080 },
      { containerPort: 9_091, hostPort: 9_091 },
      { containerPort: 22 },
    ];
    const annotations = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9091' };
    const pod = { metadata: { name: 'p', annotations }, spec: { containers: [{ name: 'c', ports }] } };
    assert.deepEqual(hostPortsOf(pod), [{ port: 8_080, targetPort: 80 }]);
  });
});
