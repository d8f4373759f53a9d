/** Random operations against the simplest thing that could be right: a list of facts, replayed from the start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createStore, type Store } from './store.ts';
import { createScriptedLog } from './testing/scripted-log.ts';

const COLLECTIONS = ['/things', '/others'];
const HISTORY_MAX = 8;

interface Fact {
  readonly revision: number;
  readonly collection: string;
  readonly name: string;
  /** Undefined: it was removed. */
  readonly size: number | undefined;
}

const collection = fc.constantFrom(...COLLECTIONS);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put'), collection, name, size: fc.nat(99) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove'), collection, name, size: fc.constant(0) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('end-turn', 'lose-turn', 'watch', 'restart') }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The names and sizes there are after those facts. */
const replay = (facts: readonly Fact[], of: string): readonly string[] => {
  const there = new Map<string, number>();
  for (const fact of facts.filter((candidate) => candidate.collection === of)) {
    if (fact.size === undefined) there.delete(fact.name);
    else there.set(fact.name, fact.size);
  }
  return [...there].map(([key, size]) => `${key}${size}`).sort();
};

const listed = (entries: ReturnType<Store['listAt']>): readonly string[] | undefined =>
  entries?.map(({ object }) => `${object.metadata.name}${object['size']}`);

interface Watching {
  readonly from: number;
  readonly seen: number[];
}

const checkWatches = (watches: readonly Watching[], facts: readonly Fact[]): void => {
  for (const { from, seen } of watches) {
    const expected = facts.filter(({ revision }) => revision > from).map(({ revision }) => revision);
    assert.deepEqual(seen, expected, 'a watch sees every revision once, in order');
  }
};

const createScene = () => {
  const scripted = createScriptedLog();
  let store = createStore({ log: scripted.log, historyMax: HISTORY_MAX });
  let facts: Fact[] = [];
  let undecided: Fact[] = [];
  /** Facts that history may reach back to: all before a restart are gone from it. */
  let startedAt = 0;
  let watches: Watching[] = [];

  const write = ({ collection: into, name: key, size }: Omit<Fact, 'revision'>): void => {
    const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: key }, size };
    if (size === undefined && store.get(into, `/${key}`) === undefined) return;
    const { revision } = size === undefined ? store.remove(into, object) : store.put(into, object);
    undecided.push({ revision, collection: into, name: key, size });
  };
  const settle = (how: 'durable' | 'lost'): void => {
    scripted.fill(how === 'lost' ? 'full' : 'free');
    scripted.endTurn();
    if (how === 'durable') facts = facts.concat(undecided);
    undecided = [];
  };
  const watch = (): void => {
    settle('durable');
    const seen: number[] = [];
    for (const of of COLLECTIONS) store.subscribe(of, ({ revision }) => seen.push(revision));
    watches.push({ from: store.revision, seen });
  };
  const restart = (): void => {
    settle('durable');
    checkWatches(watches, facts);
    watches = [];
    store = createStore({ log: scripted.log, historyMax: HISTORY_MAX });
    startedAt = store.revision;
  };
  const check = (): void => {
    const all = [...facts, ...undecided];
    assert.equal(store.revision, all.length);
    for (const of of COLLECTIONS) {
      assert.deepEqual(listed(store.list(of)), replay(all, of));
      for (let at = 0; at <= all.length; at += 1) {
        const past = listed(store.listAt(of, at));
        const isRemembered = at >= Math.max(startedAt, facts.length - HISTORY_MAX);
        assert.deepEqual(past, isRemembered ? replay(all.slice(0, at), of) : undefined, `${of} at ${at}`);
      }
    }
    checkWatches(watches, facts);
  };
  const run = (next: Step): void => {
    if ('collection' in next) write({ ...next, size: next.do === 'put' ? next.size : undefined });
    else if (next.do === 'watch') watch();
    else if (next.do === 'restart') restart();
    else settle(next.do === 'end-turn' ? 'durable' : 'lost');
  };
  return { run, check };
};

test('whatever is written, lost, watched and restarted, the store agrees with a replay of the facts', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { run, check } = createScene();
      for (const next of steps) {
        run(next);
        check();
      }
    }),
    { numRuns: 200 },
  );
});
