/** How many small requests a client gets through, and how many connections it opens for them. */
import { neverAborted } from '../../src/base/abort.ts';
import type { ApiAddress } from '../api-server/address.ts';
import { takeConnections } from '../api-server/control.ts';
import { keyOfMac, MACS } from '../api-server/macs.ts';
import type { Benchmark, Sample } from '../benchmark.ts';

const OBJECTS = 100;
const CONCURRENT = 16;
const COUNTED_CALLS = 100;
/** The first part of each run warms up and is not counted. */
const WARM_MS = 500;
const MEASURED_MS = 1_500;

/** Reads the object with this number. */
type Get = (at: number) => Promise<unknown>;

const measureRequests = async (api: ApiAddress, get: Get): Promise<Sample> => {
  await takeConnections(api);
  for (let call = 0; call < COUNTED_CALLS; call += 1) await get(call % OBJECTS);
  const connections = await takeConnections(api);
  return {
    'connections for 100 sequential calls': connections,
    'sequential rate, requests/s': await rateOf(1, get),
    '16 at once, requests/s': await rateOf(CONCURRENT, get),
  };
};

const rateOf = async (callers: number, get: Get): Promise<number> => {
  const startMs = performance.now();
  const countFromMs = startMs + WARM_MS;
  const endMs = countFromMs + MEASURED_MS;
  let counted = 0;
  const callOn = async (caller: number): Promise<void> => {
    for (let call = caller; performance.now() < endMs; call += callers) {
      await get(call % OBJECTS);
      const nowMs = performance.now();
      if (nowMs >= countFromMs && nowMs < endMs) counted += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => callOn(caller)));
  return (counted / MEASURED_MS) * 1_000;
};

const ours = async (api: ApiAddress): Promise<Sample> => {
  const { createOurClient } = await import('../subjects/our-client.ts');
  const client = createOurClient(api);
  const signal = neverAborted();
  return measureRequests(api, (at) => client.get(MACS, keyOfMac(at), { signal }));
};

const peer = async (api: ApiAddress): Promise<Sample> => {
  const { createPeerGet } = await import('../subjects/peer-client.ts');
  const get = createPeerGet(api);
  return measureRequests(api, (at) => get(keyOfMac(at)));
};

export const requests: Benchmark = {
  id: 'requests',
  about: 'GETs of one object of 3 KB, one after the other and 16 at once',
  figures: [
    { name: 'sequential rate, requests/s', goal: { of: 'ratio', is: '>=', value: 5 } },
    { name: '16 at once, requests/s', goal: { of: 'ratio', is: '>=', value: 5 } },
    { name: 'connections for 100 sequential calls', goal: { of: 'ours', is: '=', value: 1 } },
  ],
  load: { objects: OBJECTS, events: 0 },
  ours,
  peer,
};
