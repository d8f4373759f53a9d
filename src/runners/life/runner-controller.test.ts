import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import { RUNNER_POOLS } from '../../kinds/runner-pool.ts';
import { createCache } from '../../kube/cache/cache.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { RunnersDeps } from '../ports.ts';
import { node, poolWith, runner } from '../testing/runner-pods.ts';
import { createBadNodes } from './bad-nodes.ts';
import { createRunnerController } from './runner-controller.ts';

const OVERDUE_MS = 301_000;

interface Overdue {
  readonly finalizers?: readonly string[];
  /** Nodes that there are. */
  readonly nodes: readonly string[];
}

/** A Pod on mac-1 that should be gone for long, and the controller that finds it. */
const openOverdue = async ({ finalizers = [], nodes }: Overdue) => {
  const { client, clock, random, ids, stop, advance, api } = createHarness();
  const { signal } = stop;
  const common = { client, clock, random, logger: silentLogger };
  const caches = {
    pools: createCache({ ...common, resource: RUNNER_POOLS }),
    pods: createCache({ ...common, resource: PODS }),
    accounts: createCache({ ...common, resource: SERVICE_ACCOUNTS }),
    nodes: createCache({ ...common, resource: NODES }),
  };
  const events: string[] = [];
  const recorder: EventRecorder = {
    publish: (_resource, _subject, reports) => void events.push(...reports.map(({ reason }) => reason)),
    flush: () => Promise.resolve(),
  };
  await client.create(RUNNER_POOLS, poolWith(), { signal });
  for (const name of nodes) await client.create(NODES, node(name), { signal });
  const pod = runner('a', { is: 'deleting', node: 'mac-1' });
  const deletionTimestamp = toTimestamp(clock.now() - OVERDUE_MS);
  const stored = { ...pod, metadata: { ...pod.metadata, finalizers, deletionTimestamp } } satisfies Pod;
  await client.create(PODS, stored, { signal });
  const ports: RunnersDeps['ports'] = {
    ...{ ...common, ids, namespace: 'tuist-runners', guests: { dispatchUrl: 'https://ci.test' } },
    ...{ sessions: 'none', signals: 'none' },
  };
  const controller = createRunnerController(
    { ports, caches, events: recorder, badNodes: createBadNodes(clock) },
    undefined,
  );
  const running = Object.values(caches).map((cache) => cache.run(signal));
  await Promise.all(Object.values(caches).map((cache) => cache.whenSynced(signal)));
  const working = controller.run({ ...common, permit: () => undefined }, signal);
  for (let turns = 0; turns < 20; turns += 1) await advance(0);
  stop.abort();
  await Promise.all([...running, working]);
  const deletes = api.writes.filter(({ method, path }) => method === 'DELETE' && path.includes('/pods/'));
  return { deletes, events, isThere: api.objects('/api/v1/pods').length === 1 };
};

describe('a Pod that stays in Terminating for long (§7-45, §7-32)', () => {
  it('is removed by force where its Node is gone, as it was seen, and that is told once', async () => {
    const { deletes, events, isThere } = await openOverdue({ nodes: ['mac-2'] });
    assert.equal(deletes.length, 1);
    assert.partialDeepStrictEqual(deletes[0]?.body, { gracePeriodSeconds: 0 });
    const { uid, resourceVersion } = Reflect.get(Object(deletes[0]?.body), 'preconditions');
    assert.ok(uid !== undefined && resourceVersion !== undefined, JSON.stringify(deletes));
    assert.deepEqual(events, ['RunnerPodForcedAway']);
    assert.equal(isThere, false);
  });

  it('is left to its Node where that exists: its agent may still end the VM', async () => {
    const { deletes, events } = await openOverdue({ nodes: ['mac-1'] });
    assert.deepEqual([deletes, events], [[], []]);
  });

  it('is left to whoever holds it by a finalizer', async () => {
    const { deletes, events } = await openOverdue({ nodes: [], finalizers: [FINALIZERS.pod] });
    assert.deepEqual([deletes, events], [[], []]);
  });
});
