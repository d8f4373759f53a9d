import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { FleetWorld } from '../../src/controlplane/capi/testing/fleet-world.ts';
import { DEPLOYMENTS } from '../../src/controlplane/core/workloads/replicated.ts';
import { NODES, PODS } from '../../src/kube/types/core.ts';
import {
  admissionTrouble,
  conflicts,
  duplicatedEvents,
  expiredWatches,
  laggingKind,
  outage,
  overload,
  staleRelist,
} from './api-faults.ts';
import { MACHINE_SCENARIOS } from './machines.ts';
import { NODE_SCENARIOS } from './nodes.ts';
import { type KernelPlay, playOnKernel } from './on-kernel.ts';
import type { Scenario } from './scenario.ts';
import { renderDeployment, untilServed, WORKLOAD_SCENARIOS } from './workloads.ts';

const SCENARIOS = [...WORKLOAD_SCENARIOS, ...NODE_SCENARIOS, ...MACHINE_SCENARIOS];
const QUARTER_HOUR_MS = 900_000;
/** Longer than any repetition takes to go round. */
const STEADY_MS = 20_000;

const killAt =
  (...timesMs: readonly number[]) =>
  ({ kernel }: FleetWorld): void => {
    for (const atMs of timesMs) kernel.schedule(atMs, 'blow', () => kernel.restart('controlplane', 100));
  };

/** By the rows of the fault list, section 2.3. Those that a network makes (F60, F62, F71) are in scenarios.test.ts. */
const FAULTS: readonly (Omit<KernelPlay, 'seed'> & { readonly id: string; readonly story: string })[] = [
  { id: 'F59', story: 'every fourth change loses a race', front: conflicts },
  { id: 'F61', story: 'every third watch is told that its version is too old', front: expiredWatches },
  { id: 'F63', story: 'every event comes twice', front: duplicatedEvents },
  {
    ...{ id: 'F64', story: 'after a restart the first lists are hours old' },
    ...{ front: staleRelist(3_000), disturb: killAt(3_000) },
  },
  { id: 'F65', story: 'Pods are heard of twenty seconds late', front: laggingKind('pods', 20_000), steadyMs: 90_000 },
  {
    id: 'F65',
    story: 'Machines are heard of twenty seconds late',
    front: laggingKind('machines', 20_000),
    steadyMs: 90_000,
  },
  {
    id: 'F65',
    story: 'ReplicaSets are heard of half a minute late',
    front: laggingKind('replicasets', 30_000),
    steadyMs: 120_000,
  },
  { id: 'F65', story: 'Leases are heard of a minute late', front: laggingKind('leases', 60_000), steadyMs: 90_000 },
  { id: 'F66', story: 'admission fails or refuses every fifth creation', front: admissionTrouble },
  { id: 'F67', story: 'every third request is too many, or meets a store without a leader', front: overload },
  { id: 'F68', story: 'nobody reaches the API for a minute', front: outage(4_000, 60_000), steadyMs: 150_000 },
  {
    id: 'F72',
    story: 'the controllers die ten times in a row',
    disturb: killAt(...Array.from({ length: 10 }, (_, at) => 500 + at * 400)),
  },
];

const CREATED = ['pods', 'replicasets', 'machinesets', 'machines', 'scriptedmachines'];

/** How often each kind was made by a controller. */
const countCreations = ({ writes }: FleetWorld): Readonly<Record<string, number>> =>
  Object.fromEntries(
    CREATED.map((plural) => {
      const isOne = new RegExp(`/${plural}(\\?|$)`);
      const made = writes.filter(({ method, path, status }) => method === 'POST' && status === 201 && isOne.test(path));
      return [plural, made.length];
    }),
  );

const play = async (scenario: Scenario, fault: Omit<KernelPlay, 'seed'> = {}) => {
  const lasting = scenario.fleeting === true ? { steadyMs: 0 } : {};
  const { state, world } = await playOnKernel(scenario, { seed: 4, steadyMs: STEADY_MS, ...fault, ...lasting });
  return { state, created: countCreations(world), world };
};

const calm = new Map<string, Awaited<ReturnType<typeof play>>>();
const playCalm = async (scenario: Scenario) => {
  const played = calm.get(scenario.name) ?? (await play(scenario));
  calm.set(scenario.name, played);
  return played;
};

/** All of them take minutes; MACFLEET_FAULTS=all tries each fault on each scenario. */
const EVERY = process.env['MACFLEET_FAULTS'] === 'all' ? 1 : 5;

describe('an API that is not well', () => {
  for (const [row, { id, story, ...fault }] of FAULTS.entries()) {
    // Where news come late, what does not last is not seen at all.
    const told = SCENARIOS.filter(({ fleeting }) => fleeting !== true || fault.steadyMs === undefined);
    for (const scenario of told.filter((_, at) => (at + row) % EVERY === 0)) {
      it(`${id}, ${story}: ${scenario.name} ends as ever`, async () => {
        const { state, created } = await playCalm(scenario);
        const troubled = await play(scenario, fault);
        assert.deepEqual(troubled.state, state);
        assert.deepEqual(troubled.created, created, 'something was made twice');
        assert.deepEqual(troubled.world.forbidden, [], 'somebody lacks a right');
      });
    }
  }

  it('F68, a quarter of an hour without the API: nobody is evicted, and no Node is lost', async () => {
    const stay: Scenario = {
      ...{ name: 'stay', needs: 'nodes' },
      run: async (api) => {
        await api.create(DEPLOYMENTS, renderDeployment(api, 3));
        await untilServed(api, 3);
        const tell = async () => (await api.list(PODS, api.namespace)).map(({ metadata }) => metadata.uid).sort();
        const before = await tell();
        await api.always('its Pods stay', async () => isDeepStrictEqual(await tell(), before), 2 * QUARTER_HOUR_MS);
        await untilServed(api, 3);
        return (await api.list(NODES)).map(({ spec }) => spec?.taints?.map(({ key }) => key));
      },
    };
    const { state } = await playOnKernel(stay, { seed: 4, front: outage(60_000, QUARTER_HOUR_MS) });
    assert.deepEqual(state, Array(3).fill(['tuist.dev/macos']));
  });
});
