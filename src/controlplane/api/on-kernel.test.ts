import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { silentLogger } from '../../base/logger.ts';
import { createKubeClient } from '../../kube/client/create-client.ts';
import { NODES } from '../../kube/types/core.ts';
import { createKernel } from '../../sim/kernel/kernel.ts';
import { createSimTransport, type SimServer } from '../../sim/kernel/sim-transport.ts';
import { ADMIN } from '../auth/user.ts';
import { createStore } from '../store/store.ts';
import { createApiServer } from './api-server.ts';

const signal = neverAborted();

const runOnce = async (seed: number) => {
  const kernel = createKernel({ seed });
  const seen: string[] = [];
  const { clock, ids } = kernel.actor('api');
  const api = createApiServer({ store: createStore(), clock, ids, logger: silentLogger });
  const server: SimServer = (request) => api.handle({ ...request, user: ADMIN });
  kernel.boot('client', async (actor) => {
    const transport = createSimTransport({ actor, server, serverActor: 'api' });
    const client = createKubeClient({ transport, clock: actor.clock, random: actor.random, logger: silentLogger });
    const { resourceVersion } = (await client.list(NODES, { signal })).metadata;
    await client.create(NODES, { metadata: { name: 'a' } }, { signal });
    await client.delete(NODES, { name: 'a' }, { signal });
    for await (const event of client.watch(NODES, { resourceVersion, timeoutSeconds: 55, signal })) {
      seen.push(event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.object.metadata.uid}`);
    }
  });
  const { traceHash } = await kernel.run({ maxEvents: 10_000, maxVirtualMs: 600_000 });
  return { seen, traceHash };
};

test('the API runs on the simulation kernel, and a seed gives the same run twice', async () => {
  const first = await runOnce(7);
  assert.deepEqual(
    first.seen.map((line) => line.split(' ')[0]),
    ['ADDED', 'DELETED', ...Array.from({ length: 5 }, () => 'BOOKMARK')],
  );
  assert.deepEqual(await runOnce(7), first);
  assert.notDeepEqual((await runOnce(8)).seen, first.seen);
});
