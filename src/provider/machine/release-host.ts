/** What becomes of the Mac of a machine that is deleted. */
import { toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import { ANNOTATIONS } from '../../kinds/labels.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { done, type EventReport, type StepResult } from '../../kube/controller/outcome.ts';
import { NAMESPACES } from '../../kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../kube/types/extensions.ts';
import { isMoving } from '../host/host-caches.ts';
import { findHost, patchHost } from '../host/host-record.ts';
import { MOVED } from '../host/plan-owner.ts';
import type { HostPorts } from '../host/ports.ts';
import { awaitRecord } from './await-record.ts';
import type { MissedHosts } from './missed-hosts.ts';
import { askForReplacement } from './replace-machine.ts';

export interface ReleaseDeps {
  readonly ports: Pick<HostPorts, 'clock' | 'ids' | 'settings'>;
  readonly missed: MissedHosts;
}

type Machine = ScalewayAppleSiliconMachine;
type Result = StepResult<Machine>;

/**
 * The intent to give the Mac back is stored on the host; whoever acts on it is not our business any more (R11). A machine
 * that `clusterctl move` deletes lives on in another cluster, and its Mac with it (R17); one that goes with its namespace or
 * its kind asked for nothing (R18): the Mac is held.
 */
export const releaseHost = async (deps: ReleaseDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const found = await hostsOf(machine, context);
  if (found.length === 0 && (await isRecordAwaited(deps, machine, context))) return awaitRecord(deps.ports, machine);
  deps.missed.forget(machine);
  const hosts = found.filter(({ spec }) => spec.claimRef?.uid === machine.metadata.uid && spec.release === undefined);
  const hold = hosts.length === 0 ? undefined : await reasonToHold(machine, context);
  const events: EventReport[] = [];
  for (const host of hosts) {
    const task = { host, context };
    events.push(hold === undefined ? await askForRelease(deps, machine, task) : await holdBack(deps, task, hold));
  }
  return done<Machine>({ events });
};

/** A Mac that is being rented for it may be on record before the machine knows of it: all records are looked at then. */
const hostsOf = async ({ status, spec }: Machine, context: ReconcileContext): Promise<readonly MacHost[]> => {
  if (!status?.serverID && spec.acquire === 'order')
    return (await context.kube.list(MAC_HOSTS, { signal: context.signal })).items.map(parseMacHost);
  const host = status?.serverID ? await findHost(status.serverID, context) : undefined;
  return host === undefined ? [] : [host];
};

/**
 * A Mac that the Go original left, or whose record somebody deleted, is put on record with the next list: before that a machine
 * that goes would leave it behind, at work or in the pool as it is (R3). One that goes with its namespace waits for as long as a few
 * lists take, so that its Mac is held: nothing of ours holds up the end of a namespace (R18).
 */
const isRecordAwaited = async (
  { ports, missed }: ReleaseDeps,
  machine: Machine,
  context: ReconcileContext,
): Promise<boolean> => {
  if (!machine.status?.serverID || !ports.settings.zones.includes(machine.spec.zone)) return false;
  if (missed.isLostFor(machine)) return false;
  const reason = await reasonToHold(machine, context);
  if (reason === undefined) return true;
  return reason === namespaceTerminating && missed.forMs(machine) < LISTS * ports.settings.times.inventoryMs;
};

const LISTS = 3;

interface Held {
  readonly host: MacHost;
  readonly context: ReconcileContext;
}

const { moved, namespaceTerminating } = REASONS.host.owned;

/** Undefined: somebody deleted this machine and means it. */
const reasonToHold = async (machine: Machine, { kube, signal }: ReconcileContext): Promise<string | undefined> => {
  if (isMoving(machine)) return moved;
  const namespace = await kube.get(NAMESPACES, { name: machine.metadata.namespace ?? '' }, { signal });
  if (namespace.metadata.deletionTimestamp !== undefined) return namespaceTerminating;
  const definition = await kube.get(CUSTOM_RESOURCE_DEFINITIONS, { name: MACHINES_DEFINITION }, { signal });
  return definition.metadata.deletionTimestamp === undefined ? undefined : namespaceTerminating;
};

const MACHINES_DEFINITION = `${MACHINES.plural}.${MACHINES.group}`;

const holdBack = async ({ ports }: ReleaseDeps, { host, context }: Held, reason: string): Promise<EventReport> => {
  const message =
    reason === moved
      ? MOVED.message
      : 'the machine went with its namespace or its kind, and nobody asked for a release';
  const hold = { reason, message, since: toTimestamp(ports.clock.now()), by: 'macfleet' };
  await patchHost(host, { hold }, context);
  return { type: 'Warning', reason, message: `${host.metadata.name} is held: ${message}` };
};

const LOST = 'its infrastructure was deleted: the Mac goes back to its pool';

const askForRelease = async (
  { ports }: ReleaseDeps,
  machine: Machine,
  { host, context }: Held,
): Promise<EventReport> => {
  const policy = machine.metadata.annotations?.[ANNOTATIONS.releasePolicy] === 'terminate' ? 'terminate' : 'pool';
  const requestedAt = toTimestamp(ports.clock.now());
  // A Machine that lost this object keeps its providerID: another one gets the Mac, and both would claim its Node.
  await askForReplacement(machine, { message: LOST, nowMs: ports.clock.now() }, context);
  const intent = { intentID: ports.ids.uuid(), policy, reason: 'MachineDeleted', requestedAt };
  await patchHost(host, { release: intent }, context);
  if (host.spec.pool === undefined && !host.spec.ordered) {
    const message = `${host.metadata.name} has no pool, and was not ordered by us: it is held as it is (${intent.intentID})`;
    return { type: 'Warning', reason: 'ReleaseSkipped', message };
  }
  const message = `Asked for the release of ${host.metadata.name} (${intent.intentID})`;
  return { type: 'Normal', reason: 'Releasing', message };
};
