/** The scenarios on a real Kubernetes with Cluster API core: what it shows in the end is what the embedded one must show. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MACHINE_SCENARIOS } from '../scenarios/machines.ts';
import { NODE_SCENARIOS } from '../scenarios/nodes.ts';
import { playOnKernel } from '../scenarios/on-kernel.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { WORKLOAD_SCENARIOS } from '../scenarios/workloads.ts';
import type { Cluster } from './bench/cluster.ts';
import { sharedCluster, startCluster } from './bench.ts';
import { createHurriedClock } from './kube/scene.ts';
import { installScriptedKinds } from './scenarios/machine-park.ts';
import { type ClusterPlay, playOnCluster } from './scenarios/on-cluster.ts';

const SCENARIOS = [...WORKLOAD_SCENARIOS, ...NODE_SCENARIOS, ...MACHINE_SCENARIOS];
const AT_ONCE = 3;
/** Heartbeats must come more often than a hasty control plane gives a Node up for dead. */
const HURRY = 5;

/** The end state without what is known to differ; a difference that does not show is not one. */
const withoutDifferences = ({ differences = [] }: Scenario, state: unknown): unknown => {
  const seen = new Set<unknown>();
  const known = differences.map(({ shown }) => shown);
  const strip = (_key: string, value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    return value.filter((item) => {
      const isKnown = known.includes(item);
      if (isKnown) seen.add(item);
      return !isKnown;
    });
  };
  const stripped: unknown = JSON.parse(JSON.stringify(state, strip));
  assert.deepEqual([...seen].sort(), [...known].sort(), 'differences that the real control plane shows');
  return stripped;
};

describe('the embedded control plane comes to the same end as a real one', { timeout: 240_000 }, () => {
  const embedded = new Map<string, unknown>();
  // Before anything real happens in this process: a simulation allows nothing real beside it.
  before(async () => {
    for (const scenario of SCENARIOS) {
      const { state } = await playOnKernel(scenario, { seed: 1 });
      embedded.set(scenario.name, JSON.parse(JSON.stringify(state)));
    }
  });
  const compare = async (scenario: Scenario, play: ClusterPlay): Promise<void> => {
    const real = withoutDifferences(scenario, await playOnCluster(scenario, play));
    assert.deepEqual(embedded.get(scenario.name), real);
  };

  describe('on a cluster that is left alone', { concurrency: AT_ONCE }, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await sharedCluster('cluster-api');
      await installScriptedKinds(cluster);
    });
    after(() => cluster?.stop());

    for (const scenario of SCENARIOS.filter(({ losesNodes }) => losesNodes !== true)) {
      it(scenario.name, ({ signal }) => compare(scenario, { cluster, signal }));
    }
  });

  describe('on a cluster that soon notices a silent Node', () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await startCluster({ parts: 'kubernetes', nodeMonitoring: 'fast' });
    });
    after(() => cluster?.stop());

    for (const scenario of SCENARIOS.filter(({ losesNodes }) => losesNodes === true)) {
      it(scenario.name, ({ signal }) => compare(scenario, { cluster, signal, agentClock: createHurriedClock(HURRY) }));
    }
  });
});
