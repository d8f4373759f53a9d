/** Orders of a benchmark to its API server, beside the connections that are measured. */
import type { ApiAddress } from './address.ts';

/** TLS connections accepted since this was last asked. */
export const takeConnections = async (api: ApiAddress): Promise<number> =>
  Number(await (await fetch(`${api.control}/take-connections`, { method: 'POST' })).text());

/** The events go out now, on the watch that is open or on the next one that opens. */
export const releaseEvents = async (api: ApiAddress): Promise<void> => {
  await fetch(`${api.control}/release`, { method: 'POST' });
};
