/**
 * What a world is like now, as one short text: two worlds that agree in it are taken for the same by the exhaustive search. It
 * covers the stored objects, the servers at Scaleway, the Macs and what is still to happen, and not the time, nor what only
 * heartbeats and logs are made of. What a process keeps in memory is not seen: it follows from these, or should.
 */
import { assert } from '../../base/errors.ts';
import type { Store } from '../../controlplane/store/store.ts';
import { createFnv1a64 } from '../../sim/kernel/trace.ts';
import type { FleetWorld } from '../fleet-world.ts';

export interface StateWatch {
  /** To be called after every event. */
  update(): void;
  /** Something on a disk or of an agent changed. */
  macsChanged(): void;
  state(): WorldState;
}

export interface WorldState {
  readonly all: string;
  /** Without what processes wait for: all that a process finds when it starts anew, and the requests on their way. */
  readonly outside: string;
}

/** A request that has not arrived. */
const ON_ITS_WAY = / effect$/;

/** Objects that say how time goes by, or hold what is drawn anew for every use. */
const LEFT_OUT = /(^|\/)(events|leases|secrets|certificatesigningrequests)(\/|$)/;

const TIME = /"\d{4}-\d\d-\d\dT[^"]*"/g;
const VERSION = /"(resourceVersion|generation|observedGeneration)":("?)\d+\2/g;
/** Identities of objects and intents differ between lives of a process; a server keeps its own. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Sum {
  high: number;
  low: number;
}

export const watchState = ({ store, cloud, macs, kernel }: FleetWorld): StateWatch => {
  const servers = new Map(cloud.servers().map(({ id }, at) => [id, `server-${at}`]));
  const normalise = (json: string): string =>
    json
      .replace(TIME, '"time"')
      .replace(VERSION, '"$1":0')
      .replace(UUID, (id) => servers.get(id) ?? 'id');
  const hashes = createHashes();
  const stored = followStore(store, (text) => hashes.fresh(normalise(text)));
  let disks: string | undefined;
  const lookAtDisks = (): string =>
    cloud
      .servers()
      .map(({ id }) => JSON.stringify(macs.mac(id).view()))
      .join();
  return {
    update: stored.update,
    macsChanged: () => {
      disks = undefined;
    },
    state: () => {
      disks ??= normalise(lookAtDisks());
      const cloudNow = cloud.servers().map(({ id, name, status, wipes }) => `${id} ${name} ${status} ${wipes}`);
      const outside: Sum = { ...stored.sum };
      add(outside, hashes.known(normalise(cloudNow.join())), 1);
      add(outside, hashes.known(disks), 1);
      const all = { ...outside };
      kernel.forEachPending((actor, label) => {
        const pending = hashes.known(`${actor} ${label}`);
        add(all, pending, 1);
        if (ON_ITS_WAY.test(label)) add(outside, pending, 1);
      });
      return { all: renderSum(all), outside: renderSum(outside) };
    },
  };
};

/** The sum over all objects, kept up to date by what changed. */
const followStore = (
  store: Store,
  hashOf: (text: string) => Sum,
): { readonly sum: Sum; readonly update: () => void } => {
  const objects = new Map<string, Sum>();
  const sum: Sum = { high: 0, low: 0 };
  let seen = 0;
  const forget = (key: string): void => {
    const before = objects.get(key);
    if (before !== undefined) add(sum, before, -1);
    objects.delete(key);
  };
  const update = (): void => {
    if (store.revision === seen) return;
    const changes = store.since(seen);
    assert(changes !== undefined, 'the store forgot changes that the search has not seen');
    for (const { type, entry } of changes) {
      if (LEFT_OUT.test(entry.collection)) continue;
      const key = `${entry.collection}/${entry.key}`;
      forget(key);
      if (type === 'DELETED') continue;
      const now = hashOf(`${key} ${entry.json}`);
      objects.set(key, now);
      add(sum, now, 1);
    }
    seen = store.revision;
  };
  return { sum, update };
};

const renderSum = ({ high, low }: Sum): string => `${high.toString(36)}.${low.toString(36)}`;

const add = (sum: Sum, { high, low }: Sum, times: 1 | -1): void => {
  sum.high = (sum.high + times * high) >>> 0;
  sum.low = (sum.low + times * low) >>> 0;
};

interface Hashes {
  fresh(text: string): Sum;
  /** For texts that come again and again. */
  known(text: string): Sum;
}

const createHashes = (): Hashes => {
  const known = new Map<string, Sum>();
  const fresh = (text: string): Sum => {
    const hash = createFnv1a64();
    hash.addText(text);
    const digest = hash.digest();
    return { high: Number.parseInt(digest.slice(0, 8), 16), low: Number.parseInt(digest.slice(8), 16) };
  };
  return {
    fresh,
    known: (text) => {
      const found = known.get(text) ?? fresh(text);
      known.set(text, found);
      return found;
    },
  };
};
