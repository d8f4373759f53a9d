/** Runs of a simulated fleet for tests: every event is checked against what is promised, and a run ends when something is so. */
import assert from 'node:assert/strict';
import { MAC_HOSTS } from '../../kinds/mac-host.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { EVENTS } from '../../kube/types/core.ts';
import { createAuditChecker } from '../../sim/cloud/check-audit.ts';
import { renderDemo } from '../demo-fleet.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from '../fleet-world.ts';

export const BOUNDS = { maxEvents: 1_000_000, maxVirtualMs: 7_200_000 };
const { machineDeployments } = CLUSTER_API_RESOURCES;

/** How many events lie between two looks at all machines; what is written to the cloud is looked at without exception. */
const LOOK_EVERY = 20;

/** S1: one machine per host; and what is promised about the cloud, on all that reached it. Nobody lacks a right. */
export const checkOf = ({ operator, cloud, forbidden }: FleetWorld): (() => void) => {
  let events = 0;
  const checkAudit = createAuditChecker({
    poolPrefix: 'tuist-pool-',
    isWipeable: (name) => name.startsWith('tuist-releasing-'),
    isFleet: () => true,
    mayTerminate: (serverId) =>
      operator
        .list(MAC_HOSTS)
        .some(
          ({ metadata, spec }) =>
            metadata.name === serverId &&
            spec.release !== undefined &&
            (spec.ordered || spec.release.policy === 'terminate'),
        ),
  });
  return () => {
    assert.equal(forbidden.length, 0, `forbidden: ${JSON.stringify(forbidden[0])}`);
    assert.deepEqual(
      checkAudit(cloud.audit()).map(({ promise, message }) => `${promise}: ${message}`),
      [],
    );
    events += 1;
    if (events % LOOK_EVERY !== 0) return;
    const bound = operator
      .list(MACHINES)
      .filter(({ metadata, status }) => status?.initialization?.provisioned && !metadata.deletionTimestamp)
      .map(({ status }) => status?.serverID);
    assert.equal(new Set(bound).size, bound.length, `two machines on one host: ${bound.join(', ')}`);
  };
};

export const startWorld = (options: FleetWorldOptions, macsWanted = options.macs): FleetWorld => {
  const world = createFleetWorld(options);
  const { namespace = 'default' } = options;
  for (const { resource, object } of renderDemo(macsWanted)) {
    world.operator.apply({ resource, object: { ...object, metadata: { ...object.metadata, namespace } } });
  }
  return world;
};

export const runUntil = async (world: FleetWorld, what: string, until: () => boolean): Promise<void> => {
  let events = 0;
  const lookNowAndThen = (): boolean => {
    events += 1;
    return events % LOOK_EVERY === 0 && until();
  };
  const { outcome } = await world.kernel.run({ ...BOUNDS, check: checkOf(world), until: lookNowAndThen });
  assert.equal(outcome, 'until', `${what}: ${describeWorld(world)}`);
};

const describeWorld = ({ operator, cloud }: FleetWorld): string =>
  JSON.stringify({
    hosts: operator
      .list(MAC_HOSTS)
      .map(({ status, spec }) => [status?.state, status?.conditions?.[0]?.message, spec.assignedName]),
    machines: operator.list(MACHINES).map(({ metadata, status }) => [metadata.name, status?.phase]),
    servers: cloud.servers().map(({ name, status }) => [name, status]),
  });

export const readyMachines = ({ operator }: FleetWorld): number =>
  operator
    .list(MACHINES)
    .filter(({ metadata, status }) => status?.initialization?.provisioned && !metadata.deletionTimestamp).length;

/** Whether somebody was told of it, by an Event of that reason. */
export const isTold = ({ operator }: FleetWorld, reason: string): boolean =>
  operator.list(EVENTS).some((event) => event.reason === reason);

export const freeHosts = ({ operator, cloud }: FleetWorld): number =>
  operator
    .list(MAC_HOSTS)
    .filter(({ metadata, spec }) => !spec.claimRef && cloud.server(metadata.name)?.name.startsWith('tuist-pool-'))
    .length;

export const scale = ({ operator }: FleetWorld, replicas: number): void =>
  operator.merge(machineDeployments, 'macos', { spec: { replicas } });

/** Lets time pass, with everything checked. */
export const pass = async (world: FleetWorld, ms: number): Promise<void> => {
  await world.kernel.run({ ...BOUNDS, maxVirtualMs: ms, check: checkOf(world) });
};
