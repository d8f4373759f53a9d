/** How fast a burst of watch events goes through the cache to its handlers. */
import { neverAborted } from '../../src/base/abort.ts';
import type { ApiAddress } from '../api-server/address.ts';
import { releaseEvents } from '../api-server/control.ts';
import type { Benchmark, Sample } from '../benchmark.ts';
import { createCountdown } from '../subjects/countdown.ts';

const OBJECTS = 10_000;
const EVENTS = 30_000;

interface Handlers {
  readonly onAdded: () => void;
  readonly onUpdated: () => void;
}

const measureEvents = async (api: ApiAddress, start: (handlers: Handlers) => void): Promise<Sample> => {
  const added = createCountdown(OBJECTS);
  const updated = createCountdown(EVENTS);
  start({ onAdded: added.tick, onUpdated: updated.tick });
  await added.done;
  await releaseEvents(api);
  const { elapsedMs, cpuMs } = await updated.done;
  return { 'rate, events/s': (EVENTS / elapsedMs) * 1_000, 'cpu per event, us': (cpuMs / EVENTS) * 1_000 };
};

const ours = async (api: ApiAddress): Promise<Sample> => {
  const { createOurCache, createOurClient } = await import('../subjects/our-client.ts');
  const cache = createOurCache(createOurClient(api));
  return measureEvents(api, ({ onAdded, onUpdated }) => {
    cache.subscribe(({ type }) => (type === 'added' ? onAdded() : onUpdated()));
    void cache.run(neverAborted());
  });
};

const peer = async (api: ApiAddress): Promise<Sample> => {
  const { createPeerInformer } = await import('../subjects/peer-client.ts');
  const informer = createPeerInformer(api);
  return measureEvents(api, ({ onAdded, onUpdated }) => {
    informer.on('add', onAdded);
    informer.on('update', onUpdated);
    void informer.start();
  });
};

export const events: Benchmark = {
  id: 'events',
  about: '30,000 MODIFIED events of 3 KB through a cache that holds 10,000 objects; the peer through its informer',
  figures: [{ name: 'rate, events/s', goal: { of: 'ratio', is: '>=', value: 1 } }, { name: 'cpu per event, us' }],
  load: { objects: OBJECTS, events: EVENTS },
  ours,
  peer,
};
