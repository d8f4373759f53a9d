/** Starts the API server of a benchmark in a process of its own. */
import { startChild } from '../processes/child.ts';
import { type ApiAddress, type ApiLoad, parseApiAddress } from './address.ts';

export interface RunningApi {
  readonly address: ApiAddress;
  stop(): Promise<void>;
}

export const startApiServer = async (load: ApiLoad): Promise<RunningApi> => {
  const script = new URL('./main.ts', import.meta.url);
  const child = await startChild({ name: 'the API server', script, args: [JSON.stringify(load)] });
  return { address: parseApiAddress(child.said), stop: child.stop };
};
