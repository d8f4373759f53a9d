/** What follows a cluster by its watches: pictures of what is new, and a wait for what is to come. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHarness, WIDGETS } from '../../kube/testing/harness.ts';
import { listKinds } from './list-kinds.ts';
import { showWatching } from './show-watching.ts';
import { waitFor } from './wait-for.ts';

const LIMIT = { timeout: 20_000 };

describe('--watch', LIMIT, () => {
  it('shows what there is, then every change, and ends without an error when it is stopped', async () => {
    const { client, clock, create, advance } = createHarness();
    await create('one');
    const stop = new AbortController();
    const shown: string[] = [];
    const io = {
      stdout: (text: string) => {
        shown.push(text);
      },
      ...{ stderr: () => undefined, env: {}, signal: stop.signal },
    };
    const kinds = { widgets: WIDGETS };
    const first = await listKinds(kinds, { client, signal: stop.signal });
    const watching = showWatching(
      { ...{ kinds, first, client, clock }, output: 'json' },
      async ({ widgets }) => (widgets.is === 'listed' ? widgets.items.map(({ metadata }) => metadata.name).join() : ''),
      io,
    );
    await create('two');
    for (let turns = 0; turns < 200 && shown.length < 2; turns += 1) await advance(500);
    stop.abort();
    await watching;
    assert.deepEqual(shown, ['one', 'one,two']);
  });
});

describe('a wait', LIMIT, () => {
  const waiting = (until: (size: number | undefined) => boolean, timeoutMs = 60_000) => ({
    ...{ resource: WIDGETS, key: { namespace: 'ns', name: 'one' }, timeoutMs, doing: 'it to grow' },
    until: (widget: { readonly spec?: { readonly size?: number } } | undefined) => until(widget?.spec?.size),
  });
  it('ends with the change that is waited for', async () => {
    const { client, clock, create, resize, stop, advance } = createHarness();
    await create('one', { size: 1 });
    const waited = waitFor(
      waiting((size) => size === 2),
      { client, clock, signal: stop.signal },
    );
    await advance(1_000);
    await resize('one', 2);
    await waited;
  });
  it('ends at once where it is so already', async () => {
    const { client, clock, create, stop } = createHarness();
    await create('one', { size: 2 });
    await waitFor(
      waiting((size) => size === 2),
      { client, clock, signal: stop.signal },
    );
  });
  it('is given up when its time is over, and says what for', async () => {
    const { client, clock, create, stop, advance } = createHarness();
    await create('one', { size: 1 });
    const waited = waitFor(
      waiting((size) => size === 2, 5_000),
      { client, clock, signal: stop.signal },
    );
    const refused = assert.rejects(waited, { kind: 'unavailable', message: /waiting for it to grow/ });
    for (let turns = 0; turns < 12; turns += 1) await advance(1_000);
    await refused;
  });
});
