import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { createCache } from '../../kube/cache/cache.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { findNamesake } from './find-namesake.ts';

const { clusters: CLUSTERS, machines: MACHINES } = CLUSTER_API_RESOURCES;

/** Machines of core as `namespace/name nodeName`; Clusters are in `ci` and `web`. */
const askWith = async (...machines: readonly string[]): Promise<string | undefined> => {
  const { client, clock, random, stop, advance } = createHarness();
  const { signal } = stop;
  const clusters = createCache({ client, clock, random, logger: silentLogger, resource: CLUSTERS });
  const running = clusters.run(signal);
  for (const namespace of ['ci', 'web'])
    await client.create(CLUSTERS, { metadata: { name: 'demo', namespace }, spec: {} }, { signal });
  for (const text of machines) {
    const [key = '', nodeName] = text.split(' ');
    const [namespace = '', name = ''] = key.split('/');
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Any', name };
    const status = nodeName === undefined ? {} : { status: { nodeRef: { name: nodeName } } };
    const spec = { clusterName: 'demo', bootstrap: {}, infrastructureRef };
    await client.create(MACHINES, { metadata: { namespace, name }, spec, ...status }, { signal });
  }
  await advance(1_000);
  const machine = parseMachine({ metadata: { name: 'mac-1', namespace: 'ci' }, spec: {} });
  const namesake = await findNamesake({ clusters }, machine, { kube: client, signal });
  stop.abort();
  await running;
  return namesake;
};

describe('a Machine of core that names the Node a machine is about to become (R6)', () => {
  it('is found in another namespace, although its infrastructure is gone', async () => {
    assert.equal(await askWith('web/mac-1 mac-1'), 'web');
  });

  it('is none that has no Node, or another one', async () => {
    assert.equal(await askWith('web/mac-1', 'web/mac-2 mac-2'), undefined);
  });

  it('is not the Machine of the machine itself', async () => {
    assert.equal(await askWith('ci/mac-1 mac-1'), undefined);
  });
});
