import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetWorld } from '../../src/controlplane/capi/testing/fleet-world.ts';
import type { NetworkOptions } from '../../src/sim/kernel/network.ts';
import { MACHINE_SCENARIOS } from './machines.ts';
import { NODE_SCENARIOS } from './nodes.ts';
import { playOnKernel } from './on-kernel.ts';
import { WORKLOAD_SCENARIOS } from './workloads.ts';

const SCENARIOS = [...WORKLOAD_SCENARIOS, ...NODE_SCENARIOS, ...MACHINE_SCENARIOS];

/** Lost requests and answers, watches that break, stall and come in pieces. The operator is spared. */
const STORM: NetworkOptions = {
  sites: {
    kube: { faults: { 'fail-before': 0.02, 'fail-after': 0.02, 'late-answer': 0.002 } },
    'kube:body': { faults: { cut: 0.01, freeze: 0.003, split: 0.1 } },
  },
};

const killControllers = ({ kernel }: FleetWorld): void => {
  for (let blow = 0; blow < 6; blow += 1) {
    kernel.schedule(kernel.choose('blow at', 90_000), 'blow', () => kernel.restart('controlplane', 500));
  }
};

describe('on the embedded control plane', () => {
  for (const scenario of SCENARIOS) {
    it(`${scenario.name}: the same end with and without faults, and silence after it`, async () => {
      const { state, world } = await playOnKernel(scenario, { seed: 1 });
      await world.kernel.run({ maxEvents: 300_000, maxVirtualMs: 120_000 });
      const before = world.writes.length;
      await world.kernel.run({ maxEvents: 300_000, maxVirtualMs: 60_000 });
      const after = world.writes.slice(before).filter(({ path }) => !path.includes('/leases/'));
      assert.deepEqual(after, [], 'somebody writes although all is well');
      const stormy = await playOnKernel(scenario, { seed: 2, network: STORM, disturb: killControllers });
      assert.deepEqual(stormy.state, state);
    });
  }

  /** An odd stride alternates between before and after. */
  const SAMPLE_STRIDE = 181;

  for (const scenario of SCENARIOS) {
    it(`${scenario.name}: the same end wherever the controllers are killed`, async () => {
      const { state, world } = await playOnKernel(scenario, { seed: 3 });
      const { effects } = world.kernel.counts('controlplane');
      for (let index = 0; index < effects; index += SAMPLE_STRIDE) {
        const kind = index % 2 === 0 ? 'after-effect' : 'before-effect';
        const crash = { actor: 'controlplane', kind, index, restartAfterMs: 1_000 } as const;
        const crashed = await playOnKernel(scenario, { seed: 3, crash });
        assert.deepEqual(crashed.state, state, `killed ${kind} ${index}`);
      }
    });
  }
});
