/** What a fleet looks like from outside: one series per machine under the original's name, and Macs by state (T-37, T-38). */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';
import { CONDITIONS, REASONS } from '../kinds/condition-reasons.ts';
import type { HOST_STATES, MacHost } from '../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../kinds/machine.ts';
import type { Cache } from '../kube/cache/cache.ts';
import { keyOf, renderKey } from '../kube/types/meta.ts';
import { STRAY_KINDS } from './host/find-strays.ts';
import { isWithin } from './host/host-caches.ts';
import { isOrder } from './host/host-life.ts';
import type { OnStrays } from './host/inventory.ts';

export interface FleetCaches {
  readonly machines: Cache<ScalewayAppleSiliconMachine>;
  readonly hosts: Cache<MacHost>;
}

/** Follows the caches from now on: what is told is always what is known. */
export const measureFleet = (registry: Registry, { machines, hosts }: FleetCaches, namespace?: string): void => {
  followMachines(registry, machines);
  followHosts(registry, hosts, namespace);
};

const followMachines = (registry: Registry, machines: Cache<ScalewayAppleSiliconMachine>): void => {
  const phase = new Gauge({
    name: 'capt_scaleway_applesilicon_machine_phase',
    help: 'Always 1: the phase a machine is in, one series per machine.',
    labelNames: ['machine', 'fleet', 'phase', 'failure_reason'],
    registers: [registry],
  });
  const unready = new Gauge({
    name: 'macfleet_machines_unready',
    help: 'Machines that were provisioned and are not ready: the Node of their Mac is not, or is gone.',
    labelNames: ['fleet'],
    registers: [registry],
  });
  const told = new Map<string, Readonly<Record<string, string>>>();
  const forget = (key: string): void => {
    const labels = told.get(key);
    if (labels !== undefined) phase.remove(labels);
    told.delete(key);
  };
  const countUnready = ({ spec, status }: ScalewayAppleSiliconMachine, by: 1 | -1): void =>
    unready.inc({ fleet: spec.fleetName ?? '' }, isUnready(status) ? by : 0);
  machines.subscribe((change) => {
    const machine = change.type === 'deleted' ? change.old : change.object;
    if (change.type !== 'added') countUnready(change.old, -1);
    if (change.type !== 'deleted') countUnready(change.object, 1);
    const key = renderKey(keyOf(machine));
    forget(key);
    if (change.type === 'deleted') return;
    const labels = labelsOf(machine);
    told.set(key, labels);
    phase.set(labels, 1);
  });
};

const isUnready = (status: ScalewayAppleSiliconMachine['status']): boolean =>
  status?.initialization?.provisioned === true &&
  status.conditions?.some(({ type, status: is }) => type === CONDITIONS.machine.ready && is === 'False') === true;

const labelsOf = ({ metadata, spec, status }: ScalewayAppleSiliconMachine): Readonly<Record<string, string>> => ({
  machine: metadata.name,
  fleet: spec.fleetName ?? '',
  phase: status?.phase || 'Pending',
  failure_reason: status?.failureReason ?? '',
});

/** Those of another manager's machines are told by that one. */
const followHosts = (registry: Registry, hosts: Cache<MacHost>, namespace: string | undefined): void => {
  const states = new Gauge({
    name: 'macfleet_hosts',
    help: 'Macs on record by pool and state.',
    labelNames: ['pool', 'state'],
    registers: [registry],
  });
  const orphans = new Gauge({
    name: 'scaleway_orphan_servers',
    help: 'Macs that are held because nobody has them: a person says what becomes of them.',
    registers: [registry],
  });
  const reclaims = new Counter({
    name: 'scaleway_orphan_servers_reclaimed_total',
    help: 'Macs that were given back because their machine vanished and an operator opted in to that.',
    registers: [registry],
  });
  const counts = new Map<string, number>();
  const count = (host: MacHost, by: 1 | -1): void => {
    const { spec, status } = host;
    if (!isWithin(namespace, host)) return;
    const [pool, state] = [spec.pool?.prefix ?? '', isOrder(spec) ? 'ordering' : (status?.state ?? 'free')];
    const key = `${pool}\n${state}`;
    counts.set(key, (counts.get(key) ?? 0) + by);
    states.set({ pool, state }, counts.get(key) ?? 0);
  };
  hosts.subscribe((change) => {
    if (change.type !== 'added') count(change.old, -1);
    if (change.type !== 'deleted') count(change.object, 1);
    if (change.type === 'updated' && isReclaim(change.old, change.object, namespace)) reclaims.inc();
    orphans.set([...counts].reduce((sum, [key, held]) => (key.endsWith(`\n${HELD}`) ? sum + held : sum), 0));
  });
};

const isReclaim = ({ spec: old }: MacHost, host: MacHost, namespace: string | undefined): boolean =>
  old.release === undefined && host.spec.release?.reason === REASONS.host.owned.reclaimed && isWithin(namespace, host);

/** Follows what the inventory finds astray, by zone and kind. */
export const measureStrays = (registry: Registry): OnStrays => {
  const strays = new Gauge({
    name: 'macfleet_stray_servers',
    help: 'Servers with a name of ours, or of a machine, that nobody has on record. They are never touched.',
    labelNames: ['zone', 'kind'],
    registers: [registry],
  });
  return (zone, { lasting }) => {
    for (const kind of STRAY_KINDS) strays.set({ zone, kind }, lasting.filter((stray) => stray.kind === kind).length);
  };
};

const HELD: (typeof HOST_STATES)[number] = 'held';
