/** How much it costs to read ten thousand objects and to keep them. */
import { neverAborted } from '../../src/base/abort.ts';
import type { ApiAddress } from '../api-server/address.ts';
import { keyOfMac, MACS } from '../api-server/macs.ts';
import type { Benchmark, Sample } from '../benchmark.ts';
import { createCountdown } from '../subjects/countdown.ts';
import { cpuMs, settle, settledMemory } from '../subjects/usage.ts';

const OBJECTS = 10_000;

/** A process asks this and that before it lists: its lease, the server's version. */
const EARLIER_REQUESTS = 20;

interface Subject {
  /** Reads one object. */
  readonly get: () => Promise<unknown>;
  /** Starts to list, with `onObject` called for every object. */
  readonly list: (onObject: () => void) => void;
}

const listAndHold = async ({ get, list }: Subject): Promise<Sample> => {
  for (let request = 0; request < EARLIER_REQUESTS; request += 1) await get();
  await settle();
  const listed = createCountdown(OBJECTS);
  const cpuBeforeMs = cpuMs();
  list(listed.tick);
  await listed.done;
  const listCpuMs = cpuMs() - cpuBeforeMs;
  const { heapMb, rssMb } = await settledMemory();
  return {
    'heap, MB': heapMb,
    'cpu of listing, ms': listCpuMs,
    'RSS, MB': rssMb,
  };
};

const ours = async (api: ApiAddress): Promise<Sample> => {
  const { createOurCache, createOurClient } = await import('../subjects/our-client.ts');
  const client = createOurClient(api);
  const cache = createOurCache(client);
  const signal = neverAborted();
  return listAndHold({
    get: () => client.get(MACS, keyOfMac(0), { signal }),
    list: (onObject) => {
      cache.subscribe(onObject);
      void cache.run(signal);
    },
  });
};

const peer = async (api: ApiAddress): Promise<Sample> => {
  const { createPeerGet, createPeerInformer } = await import('../subjects/peer-client.ts');
  const get = createPeerGet(api);
  const informer = createPeerInformer(api);
  return listAndHold({
    get: () => get(keyOfMac(0)),
    list: (onObject) => {
      informer.on('add', onObject);
      void informer.start();
    },
  });
};

export const listHold: Benchmark = {
  id: 'list-hold',
  about: 'list and hold 10,000 objects of 3 KB in a cache, without managedFields; the peer in its informer',
  figures: [
    { name: 'heap, MB', goal: { of: 'ratio', is: '<=', value: 0.65 } },
    { name: 'cpu of listing, ms', goal: { of: 'ratio', is: '<=', value: 0.6 } },
    { name: 'RSS, MB' },
  ],
  load: { objects: OBJECTS, events: 0 },
  ours,
  peer,
};
