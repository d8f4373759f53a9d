import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSystemClock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES, PODS } from '../../kube/types/core.ts';
import { RUNNER_POOL, renderDemo, renderMacs } from '../../world/demo-fleet.ts';
import { renderRunnerPool } from '../../world/runners-in-process.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { startFleet } from './start-fleet.ts';

describe('the fleet of up', () => {
  it('says where its API is before anything else is started', { timeout: 60_000 }, async ({ signal }) => {
    const [clock, random] = [createSystemClock(), createSystemRandom()];
    const order: string[] = [];
    const fleet = await startFleet(
      {
        ...{ clock, random, logger: silentLogger, macs: 1, port: 0, speedUp: 100 },
        onListening: (url) => order.push(`listens at ${url}`),
        onRequest: () => {
          if (order.at(-1) !== 'requests') order.push('requests');
        },
        provider: async () => {
          order.push('provider');
          return { ended: Promise.resolve(), stop: () => Promise.resolve() };
        },
      },
      signal,
    );
    await fleet.stop();
    assert.deepEqual(order.slice(0, 3), [`listens at ${fleet.url}`, 'requests', 'provider']);
  });

  it('binds its Machine by a kubeconfig, and tells the log of a Pod over verified TLS', {
    timeout: 60_000,
  }, async (t) => {
    const [clock, random] = [createSystemClock(), createSystemRandom()];
    const options = { clock, random, logger: silentLogger, macs: 1, port: 0, speedUp: 100, provider: 'here' } as const;
    const { signal } = t;
    const fleet = await startFleet(options, signal);
    t.after(() => fleet.stop());
    const { client } = fleet;
    const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
      for (;;) {
        const seen = await look();
        if (seen !== undefined) return seen;
        await sleep(clock, 50, signal);
      }
    };
    for (const demo of renderDemo(1)) await createOrIgnore(client, demo, signal);
    const [pod] = await eventually(async () => {
      const { items } = await client.list(PODS, { signal });
      return items.every(({ status }) => status?.phase === 'Succeeded') && items.length > 0 ? items : undefined;
    });
    const path = `/api/v1/namespaces/default/pods/${pod?.metadata.name}/log?tailLines=1`;
    // The agent may still wait for its certificate, and the API server then refuses to speak to it.
    const log = await eventually(() =>
      client.getRaw(path, { signal }).catch((error: unknown) => {
        assert.ok(isKind(error, 'unavailable'), String(error));
        return undefined;
      }),
    );
    assert.equal(log, 'ended with code 0\n');
    const { items } = await client.list(CLUSTER_API_RESOURCES.machines, { signal });
    assert.equal(items.length, 1);
    const [cluster] = (await client.list(CLUSTER_API_RESOURCES.clusters, { signal })).items;
    assert.match(JSON.stringify(cluster), /"type":"RemoteConnectionProbe","status":"True","reason":"ProbeSucceeded"/);
  });

  it('loses no job when a Mac is drained in the middle: runners are not evicted, idle ones go, busy ones end', {
    timeout: 60_000,
  }, async (t) => {
    const { signal } = t;
    const [clock, random] = [createSystemClock(), createSystemRandom()];
    const fast = {
      macs: 1,
      port: 0,
      speedUp: 100,
      provider: 'here',
      runners: { jobSpeedUp: 100, guestSpeedUp: 4 },
    } as const;
    const fleet = await startFleet({ clock, random, logger: silentLogger, ...fast }, signal);
    t.after(() => fleet.stop());
    const { client, runners } = fleet;
    assert.ok(runners);
    const { dispatch } = runners;
    const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await isSo())) await sleep(clock, 50, signal);
    };
    for (const object of [...renderMacs(1), renderRunnerPool(1)]) await createOrIgnore(client, object, signal);
    dispatch.queue({ pool: RUNNER_POOL, durationMs: 600_000 });
    await until(() => dispatch.jobs()[0]?.state === 'running');
    const [node] = (await client.list(NODES, { signal })).items;
    const drained = { name: node?.metadata.name ?? '' };
    await client.patch(NODES, drained, { type: 'merge', body: { spec: { unschedulable: true } } }, { signal });
    const busy = { namespace: 'tuist-runners', name: dispatch.jobs()[0]?.runner?.pod ?? '' };
    // A Pod that is not told to run may always be evicted; a guest that boots in half a second is faster than that.
    await until(async () => (await client.get(PODS, busy, { signal })).status?.phase === 'Running');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: busy };
    await assert.rejects(client.createSubresource(PODS, busy, { subresource: 'eviction', body: eviction, signal }), {
      message: /disruption budget/,
    });
    await until(async () => {
      const { items } = await client.list(PODS, { signal });
      return items.every(({ spec }) => spec.nodeName !== drained.name);
    });
    assert.deepEqual(
      dispatch.jobs().map(({ state, conclusion }) => `${state} ${conclusion}`),
      ['done success'],
    );
  });
});
