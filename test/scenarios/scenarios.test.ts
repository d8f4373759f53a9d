import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN } from '../../src/controlplane/auth/user.ts';
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
      assert.deepEqual(world.forbidden, [], 'somebody lacks a right');
      const stormy = await playOnKernel(scenario, { seed: 2, network: STORM, disturb: killControllers });
      assert.deepEqual(stormy.state, state);
      assert.deepEqual(stormy.world.forbidden, [], 'somebody lacks a right');
    });
  }

  /** Whose work it is, if not the operator's. */
  const AUTHORS: readonly (readonly [RegExp, RegExp])[] = [
    [/^POST .*\/pods\/[^/]+\/binding/, /^system:kube-scheduler$/],
    [/^POST .*\/pods\?/, /:(job|replicaset)-controller$/],
    [/^POST .*\/replicasets\?/, /:deployment-controller$/],
    [/^PATCH .*\/deployments\/[^/]+\/status/, /:deployment-controller$/],
    [/^PATCH .*\/jobs\/[^/]+\/status/, /:job-controller$/],
    [/^DELETE .*\/jobs\/gone/, /:ttl-after-finished-controller$/],
    [/^PATCH .*\/poddisruptionbudgets\/[^/]+\/status/, /:disruption-controller$/],
    [/^(POST|PATCH|DELETE) .*\/machines\/?[^/]*\/status/, /^system:serviceaccount:capi-system:capi-manager$/],
    [/^POST .*\/serviceaccounts\?/, /:service-account-controller$/],
    [/^PUT .*\/namespaces\/[^/]+\/finalize/, /:namespace-controller$/],
  ];

  it('whoever writes does so under its own name', async () => {
    const written: { readonly what: string; readonly user: string }[] = [];
    for (const scenario of SCENARIOS) {
      const { world } = await playOnKernel(scenario, { seed: 1 });
      for (const { method, path, user } of world.writes) {
        if (user !== ADMIN.name) written.push({ what: `${method} ${path}`, user });
      }
    }
    for (const [what, author] of AUTHORS) {
      const users = new Set(written.flatMap((one) => (what.test(one.what) ? [one.user] : [])));
      assert.notEqual(users.size, 0, `nobody does ${what}`);
      for (const user of users) assert.match(user, author, String(what));
    }
    const broad = written.filter(({ user }) => user === 'system:kube-controller-manager');
    assert.deepEqual(broad, [], 'who only watches writes');
  });

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
