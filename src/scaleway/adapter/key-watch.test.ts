import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSystemClock } from '../../base/clock.ts';
import { createKeyWatch } from './key-watch.ts';

const watchOver = () => {
  const clock = createSystemClock();
  /** What sleeps is woken at once. */
  return createKeyWatch({ ...clock, schedule: (_, run) => clock.schedule(0, run) });
};

describe('a manager on Scaleway', () => {
  it('is not ready before Scaleway has answered, nor while it refuses the key, and is once it does not', async () => {
    const watch = watchOver();
    const life = new AbortController();
    const said: (string | undefined)[] = [];
    const outcomes = ['denied', 'denied', 'ok'] as const;
    const list = async (): Promise<void> => {
      said.push(watch.notReadyBecause());
      watch.called('listServers', outcomes[said.length - 1] ?? 'bug');
      if (said.length < outcomes.length) throw new Error('refused');
    };
    await watch.ask(list, life.signal);
    const refused = 'Scaleway refuses the API key, or lets it list no Macs';
    assert.deepEqual(said, ['waiting for the first answer of Scaleway', refused, refused]);
    assert.equal(watch.notReadyBecause(), undefined);
  });

  it('is ready while Scaleway cannot be reached: that says nothing about the key', async () => {
    const watch = watchOver();
    await watch.ask(async () => watch.called('listServers', 'unavailable'), new AbortController().signal);
    assert.equal(watch.notReadyBecause(), undefined);
  });

  it('hears of a key that is revoked later, from whoever lists, and of no other call', () => {
    const watch = watchOver();
    watch.called('listServers', 'ok');
    watch.called('rebootServer', 'denied');
    assert.equal(watch.notReadyBecause(), undefined);
    watch.called('listServers', 'denied');
    assert.match(watch.notReadyBecause() ?? '', /refuses the API key/);
  });

  it('asks no more when it is to end', async () => {
    const watch = watchOver();
    const life = new AbortController();
    let asked = 0;
    const list = async (): Promise<void> => {
      asked += 1;
      watch.called('listServers', 'denied');
      life.abort();
    };
    await watch.ask(list, life.signal);
    assert.equal(asked, 1);
  });
});
