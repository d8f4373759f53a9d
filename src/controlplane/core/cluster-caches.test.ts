import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { PODS } from '../../kube/types/core.ts';
import { createClusterCaches } from './cluster-caches.ts';

test('Pods of one template are known with one spec, and nobody keeps who manages which field', async () => {
  const { client, clock, random, stop, advance } = createHarness({});
  const { signal } = stop;
  const { pods } = createClusterCaches({ client, clock, random, logger: silentLogger });
  const running = pods.run(signal);
  for (const [name, image] of Object.entries({ a: 'web:1', b: 'web:1', c: 'web:2' })) {
    const metadata = { namespace: 'ns', name, managedFields: [{ manager: 'me' }] };
    await client.create(PODS, { metadata, spec: { containers: [{ name: 'web', image }] } }, { signal });
  }
  await advance(0);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => pods.get(`ns/${name}`));
  assert.equal(a?.spec, b?.spec);
  assert.deepEqual(c?.spec.containers, [{ name: 'web', image: 'web:2' }]);
  assert.equal(JSON.stringify([a, b, c]).includes('managedFields'), false);
  stop.abort();
  await running;
});
