import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { createLogger } from '../../base/logger.ts';
import { createKeyWatch } from './key-watch.ts';
import type { CloudObserver } from './observed-cloud.ts';

type Outcome = Parameters<CloudObserver['called']>[1];

const REFUSED = 'Scaleway refuses the API key, or lets it list no Macs';

/** Scaleway answers in this order, and then the same again; what sleeps is woken at once. */
const watchOver = (...outcomes: readonly Outcome[]) => {
  const clock = createSystemClock();
  const heard: string[] = [];
  const logged: string[] = [];
  const logger = createLogger({ clock, level: 'info', destination: { write: (line) => void logged.push(line) } });
  const watch = createKeyWatch({
    clock: { ...clock, schedule: (_, run) => clock.schedule(0, run) },
    logger,
    observer: { called: (verb, outcome) => void heard.push(`${verb} ${outcome}`), listed: () => undefined },
  });
  const said: (string | undefined)[] = [];
  const settled = Promise.withResolvers<void>();
  const list = async (): Promise<void> => {
    said.push(watch.notReadyBecause());
    const outcome = outcomes[Math.min(said.length, outcomes.length) - 1] ?? 'bug';
    watch.observer.called('listServers', outcome);
    if (said.length >= outcomes.length) settled.resolve();
    if (outcome !== 'ok') throw new Error(outcome);
  };
  return { watch, said, heard, logged, list, settled: settled.promise };
};

describe('a manager on Scaleway', () => {
  it('is not ready before Scaleway has answered, nor while it refuses the key, and is once it does not', async () => {
    const { watch, said, heard, logged, list, settled } = watchOver('denied', 'denied', 'ok');
    const asking = watch.start(list);
    await settled;
    await asking.close();
    assert.deepEqual(said, ['waiting for the first answer of Scaleway', REFUSED, REFUSED]);
    assert.equal(watch.notReadyBecause(), undefined);
    assert.deepEqual(
      logged.map((line) => JSON.parse(line).message),
      [REFUSED, 'Scaleway takes the API key'],
    );
    assert.deepEqual(heard, ['listServers denied', 'listServers denied', 'listServers ok']);
  });

  it('is ready while Scaleway cannot be reached: that says nothing about the key', async () => {
    const { watch, list, settled } = watchOver('unavailable');
    const asking = watch.start(list);
    await settled;
    await asking.close();
    assert.equal(watch.notReadyBecause(), undefined);
  });

  it('hears of a key that is revoked later, from whoever lists, and of no other call', () => {
    const { watch } = watchOver();
    watch.observer.called('listServers', 'ok');
    watch.observer.called('rebootServer', 'denied');
    assert.equal(watch.notReadyBecause(), undefined);
    watch.observer.called('listServers', 'denied');
    assert.equal(watch.notReadyBecause(), REFUSED);
  });

  it('asks no more when it has been closed', async () => {
    const { watch, said, list, settled } = watchOver('denied');
    const asking = watch.start(list);
    await settled;
    await asking.close();
    const { length } = said;
    await new Promise(setImmediate);
    assert.equal(said.length, length);
  });
});
