/**
 * Free ports. Between choosing one and a process taking it another may come first: then the process says so and ends, and
 * we choose again.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { FleetError } from '../../src/base/errors.ts';

export type ChoosePort = () => Promise<number>;

const ATTEMPTS = 5;

export const chooseFreePort: ChoosePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string')
    throw new FleetError('bug', { code: 'NoPort', message: 'a listening server has no port' });
  return address.port;
};

/** Repeats `attempt` with another port while the one it was given turns out to be taken. */
export const onFreePort = async <T>(choose: ChoosePort, attempt: (port: number) => Promise<T>): Promise<T> => {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt(await choose());
    } catch (error) {
      if (left <= 1 || !(error instanceof FleetError) || error.code !== 'PortTaken') throw error;
    }
  }
};
