import assert from 'node:assert/strict';
import test from 'node:test';
import { shareFresh } from './share-fresh.ts';

/** Runs that end when told, each with its number; knows how many were under way at once. */
const stage = () => {
  const ends: { readonly resolve: (value: number) => void; readonly reject: (reason: Error) => void }[] = [];
  const running = { now: 0, most: 0 };
  const ask = shareFresh(() => {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    ends.push({ resolve, reject });
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    return promise.finally(() => {
      running.now -= 1;
    });
  });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return { ask, ends, running, turns };
};

test('whoever asks while a run is under way shares the next one, which has seen what they did before', async () => {
  const { ask, ends, running, turns } = stage();
  const first = ask();
  const [second, third] = [ask(), ask()];
  assert.equal(ends.length, 1);
  ends[0]?.resolve(1);
  assert.equal(await first, 1);
  await turns();
  assert.equal(ends.length, 2);
  const fourth = ask();
  ends[1]?.resolve(2);
  assert.deepEqual(await Promise.all([second, third]), [2, 2]);
  await turns();
  ends[2]?.resolve(3);
  assert.equal(await fourth, 3);
  assert.equal(running.most, 1);
});

test('a run that fails fails for those who share it alone', async () => {
  const { ask, ends, turns } = stage();
  const [first, second] = [ask(), ask()];
  ends[0]?.reject(new Error('away'));
  await assert.rejects(first, /away/);
  await turns();
  ends[1]?.resolve(2);
  assert.equal(await second, 2);
});
