/** Two managers of one namespace each (`--namespace`), on one cluster and one Scaleway project, on the virtual clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AnsweredRequest } from '../controlplane/auth/audit.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { LEASE_NAMES } from '../kinds/names.ts';
import { createLeaderLease } from '../kube/manager/leader-lease.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../kube/types/certificates.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { renderDemo } from './demo-fleet.ts';
import { createFleetWorld, type FleetWorld } from './fleet-world.ts';
import { renderRights } from './identities.ts';
import { pass, readyMachines, runUntil } from './testing/fleet-run.ts';

const NAMESPACES = ['ci', 'web'] as const;

/** Each leads in its own namespace: they start in this order, and none ends. */
const eachItsOwn = (): ((ports: ProviderPorts) => ProviderPorts) => {
  let started = 0;
  return (ports) => {
    const namespace = NAMESPACES[started++ % NAMESPACES.length] ?? '';
    const { client, clock, random, logger } = ports;
    const lease = createLeaderLease({
      ...{ client, clock, random, logger, identity: `manager of ${namespace}` },
      lease: { namespace, name: LEASE_NAMES.manager },
    });
    return { ...ports, lease, settings: { ...ports.settings, namespace } };
  };
};

const startBoth = (options: { readonly seed: number; readonly macs: number; readonly each: number }) => {
  const writes: string[] = [];
  const onRequest = ({ attempt }: AnsweredRequest): void => {
    if (attempt.on !== 'path' && attempt.verb === 'patch' && attempt.resource === MAC_HOSTS.plural)
      writes.push(attempt.name);
  };
  const { seed, macs, each } = options;
  const managers = NAMESPACES.map((namespace) => `manager of ${namespace}`);
  const world = createFleetWorld({
    ...{ seed, macs, managers, adjust: eachItsOwn(), observer: { onRequest }, namespace: 'ci' },
  });
  world.operator.create('/api/v1/namespaces', { metadata: { name: 'web' } });
  for (const guard of renderRights('web').filter(({ object }) => object.metadata.namespace === 'web'))
    world.operator.apply(guard);
  for (const namespace of NAMESPACES) {
    for (const { resource, object } of renderDemo(each))
      world.operator.apply({ resource, object: { ...object, metadata: { ...object.metadata, namespace } } });
  }
  return { world, writes };
};

const deniedIn = ({ operator }: FleetWorld): readonly string[] =>
  operator
    .list(CERTIFICATE_SIGNING_REQUESTS)
    .flatMap(({ status }) => status?.conditions ?? [])
    .flatMap(({ type, message }) => (type === 'Denied' ? [message ?? ''] : []));

describe('two managers of one namespace each', () => {
  it('leave the Macs of the other alone: all become Nodes, nobody is refused, and then nobody writes', async () => {
    const { world, writes } = startBoth({ seed: 91, macs: 4, each: 2 });
    await runUntil(world, 'all ready', () => readyMachines(world) === 4);
    assert.deepEqual(deniedIn(world), []);
    await pass(world, 600_000);
    writes.length = 0;
    await pass(world, 600_000);
    assert.deepEqual(writes, []);
    const hosts = world.operator.list(MAC_HOSTS).map(({ spec, status }) => [spec.claimRef?.namespace, status?.state]);
    assert.deepEqual(hosts.map(([namespace]) => namespace).toSorted(), ['ci', 'ci', 'web', 'web']);
    assert.ok(hosts.every(([, state]) => state === 'joined'));
  });
});
