import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../../base/logger.ts';
import type { Transport } from '../../../kube/client/transport.ts';
import { createHarness } from '../../../kube/testing/harness.ts';
import { NODES } from '../../../kube/types/core.ts';
import { followRemote } from './remote-cluster.ts';

/** Watches tell nothing before that. */
const withLateNews = (inner: Transport, news: Promise<void>): Transport => ({
  ...inner,
  send: async (request) => {
    const response = await inner.send(request);
    if (!request.path.includes('watch=')) return response;
    return {
      ...response,
      body: (async function* () {
        await news;
        yield* response.body;
      })(),
    };
  },
});

describe('a connection to the cluster of a Machine', () => {
  it('holds a key back until its Nodes show what was written for it, and only that key', async () => {
    const news = Promise.withResolvers<void>();
    const { client, clock, random, advance, stop } = createHarness({
      wrap: (inner) => withLateNews(inner, news.promise),
    });
    const { signal } = stop;
    await client.create(NODES, { metadata: { name: 'n' }, spec: { providerID: 'p://n' } }, { signal });
    const reached: string[] = [];
    let closed = 0;
    const remote = followRemote(
      { clock, random, logger: silentLogger },
      {
        client,
        close: async () => {
          closed += 1;
        },
      },
      {
        listener: { nodeChanged: () => undefined, synced: () => undefined, reached: (key) => reached.push(key) },
        signal,
      },
    );
    await advance(0);
    assert.deepEqual(
      remote.nodes.byIndex('providerID', 'p://n').map(({ metadata }) => metadata.name),
      ['n'],
    );
    const own = remote.clientFor({ key: 'ns/m', permit: () => undefined });
    const body = { spec: { unschedulable: true } };
    await own.patch(NODES, { name: 'n' }, { type: 'merge', body }, { signal });
    assert.equal(remote.isClear('ns/m'), false);
    assert.equal(remote.isClear('ns/other'), true);
    news.resolve();
    await advance(0);
    assert.deepEqual(reached, ['ns/m']);
    assert.equal(remote.isClear('ns/m'), true);
    assert.equal(remote.nodes.get('n')?.spec?.unschedulable, true);
    await remote.close();
    assert.equal(closed, 1);
  });
});
