import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createCache } from '../../kube/cache/cache.ts';
import type { Transport } from '../../kube/client/transport.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { DEPLOYMENTS } from '../../kube/types/apps.ts';
import { NODES } from '../../kube/types/core.ts';
import { fleetHashOf } from './plan-spread.ts';
import { createSpreadController } from './spread-controller.ts';

const KEY = { namespace: 'tuist', name: 'cache' };
const LABELS = { 'kubernetes.io/os': 'darwin', 'tuist.dev/runtime': 'tart', 'tuist.dev/fleet': 'macos' };
const CALM_MS = 60_000;

const start = async () => {
  let looks = 0;
  const count = (transport: Transport): Transport => ({
    ...transport,
    send: (request) => {
      if (request.method === 'GET' && request.path.includes('/deployments/')) looks += 1;
      return transport.send(request);
    },
  });
  const { client, clock, random, stop, advance } = createHarness({ wrap: count });
  const { signal } = stop;
  const deps = { client, clock, random, logger: silentLogger };
  const nodes = createCache({ ...deps, resource: NODES });
  const controllers = [createSpreadController(nodes, { ...KEY, calmMs: CALM_MS })];
  const running = createManager({ name: 'spread', ...deps, caches: [nodes], controllers }).run(signal);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await advance(100);
  };
  const addMac = async (name: string): Promise<void> => {
    const ready = {
      type: 'Ready',
      status: 'True',
      lastTransitionTime: toTimestamp(clock.now() - 2 * CALM_MS),
    } as const;
    await client.create(NODES, { metadata: { name, labels: LABELS }, status: { conditions: [ready] } }, { signal });
    await settle();
  };
  const deploy = async (status: object): Promise<void> => {
    const template = { metadata: {}, spec: { containers: [], nodeSelector: { 'tuist.dev/fleet': 'macos' } } };
    const calm = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    const object = {
      metadata: { ...KEY, generation: 1 },
      spec: { replicas: 1, template },
      status: { ...calm, ...status },
    };
    await client.create(DEPLOYMENTS, object, { signal });
  };
  const stamp = async (): Promise<string | undefined> =>
    (await client.get(DEPLOYMENTS, KEY, { signal })).spec.template.metadata?.annotations?.['tuist.dev/fleet-hash'];
  /** As the Deployment controller says it, half a minute before anybody looks again. */
  const finishRoll = async (): Promise<void> => {
    const { generation } = (await client.get(DEPLOYMENTS, KEY, { signal })).metadata;
    const body = { status: { observedGeneration: generation, updatedReplicas: 1 } };
    await client.patch(DEPLOYMENTS, KEY, { type: 'merge', body }, { subresource: 'status', signal });
    await advance(30_000);
    await settle();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
  };
  return { looks: () => looks, advance, client, signal, addMac, deploy, stamp, finishRoll, settle, end };
};

const hashOf = (...names: readonly string[]): string => fleetHashOf(names.map((name) => ({ metadata: { name } })));

describe('the controller that spreads a Deployment over the Macs', () => {
  it('T-66 does without the Deployment until there is one, and stamps it anew with each Mac', async () => {
    const { looks, advance, addMac, deploy, stamp, finishRoll, end } = await start();
    await addMac('a');
    await advance(600_000);
    assert.equal(looks(), 1, 'nobody asks for it without a reason');
    await deploy({});
    await addMac('b');
    assert.equal(await stamp(), hashOf('a', 'b'));
    await addMac('c');
    assert.equal(await stamp(), hashOf('a', 'b'), 'that roll is not over');
    await finishRoll();
    assert.equal(await stamp(), hashOf('a', 'b', 'c'));
    await end();
  });

  it('T-66 I-04 comes back for one that is rolling, and leaves it as it is until then', async () => {
    const { addMac, deploy, stamp, finishRoll, end } = await start();
    await deploy({ updatedReplicas: 0 });
    await addMac('a');
    assert.equal(await stamp(), undefined);
    await finishRoll();
    assert.equal(await stamp(), hashOf('a'));
    await end();
  });

  it('W-27 writes nothing for heartbeats', async () => {
    const { client, signal, addMac, deploy, settle, stamp, end } = await start();
    await deploy({});
    await addMac('a');
    const { resourceVersion } = (await client.get(DEPLOYMENTS, KEY, { signal })).metadata;
    const beat = { type: 'merge', body: { metadata: { annotations: { beat: '1' } } } } as const;
    await client.patch(NODES, { name: 'a' }, beat, { signal });
    await settle();
    assert.equal((await client.get(DEPLOYMENTS, KEY, { signal })).metadata.resourceVersion, resourceVersion);
    assert.equal(await stamp(), hashOf('a'));
    await end();
  });
});
