import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSystemClock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { PODS } from '../../kube/types/core.ts';
import { renderDemo } from '../../world/demo-fleet.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { startFleet } from './start-fleet.ts';

describe('the fleet of up', () => {
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
});
