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
import { isPaused, isPausedNow } from '../cluster/pause.ts';
import { isMoving, type ProviderCaches } from '../host/host-caches.ts';
import { isOrder } from '../host/host-life.ts';
import { findHost, patchHost } from '../host/host-record.ts';
import { DETACHED, MOVED } from '../host/plan-owner.ts';
import type { HostPorts } from '../host/ports.ts';
import { awaitRecord } from './await-record.ts';
import type { MissedHosts } from './missed-hosts.ts';
import { askForReplacement } from './replace-machine.ts';

export interface ReleaseDeps {
  readonly ports: Pick<HostPorts, 'clock' | 'ids' | 'settings'>;
  readonly caches: Pick<ProviderCaches, 'hosts' | 'clusters'>;
  readonly missed: MissedHosts;
}

type Machine = ScalewayAppleSiliconMachine;
type Result = StepResult<Machine>;

/**
 * The intent to give the Mac back is stored on the host; whoever acts on it is not our business any more (R11). A machine
 * that `clusterctl move` deletes lives on in another cluster, and its Mac with it (R17); one that goes with its namespace or
 * its kind asked for nothing (R18), and one that was taken off its Mac by hand wants nothing of it (R16): the Mac is held.
 */
export const releaseHost = async (deps: ReleaseDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const isDetached = mayBeDetached(deps, machine) && (await isPausedNow(machine, context));
  const found = isDetached || isOrdering(machine) ? await allHosts(context) : await hostOf(machine, context);
  if (found.length === 0 && (await isRecordAwaited(deps, machine, context))) return awaitRecord(deps.ports, machine);
  deps.missed.forget(machine);
  const hosts = found.filter(({ spec }) => spec.claimRef?.uid === machine.metadata.uid && spec.release === undefined);
  const hold = hosts.length === 0 ? undefined : await reasonToHold(machine, context);
  const events: EventReport[] = [];
  for (const host of hosts) {
    const task = { host, context };
    const reason = hold ?? (isDetached && !isOrder(host.spec) ? detached : undefined);
    if (reason === detached && isHeldAlready(host)) continue;
    events.push(reason === undefined ? await askForRelease(deps, machine, task) : await holdBack(deps, task, reason));
  }
  return done<Machine>({ events });
};

/** Paused, and without a note of its Mac: the API itself is asked only where this process has heard of either the pause or the Mac. */
const mayBeDetached = ({ caches }: ReleaseDeps, machine: Machine): boolean => {
  if (machine.status?.serverID) return false;
  const { uid = '' } = machine.metadata;
  return isPaused(caches.clusters, machine) || caches.hosts.byIndex('claim', uid).length > 0;
};

/** A Mac that is being rented for it may be on record before the machine knows of it: all records are looked at then. */
const isOrdering = ({ status, spec }: Machine): boolean => !status?.serverID && spec.acquire === 'order';

/** Its claim alone tells which Mac a machine had that does not name it any more. */
const allHosts = async ({ kube, signal }: ReconcileContext): Promise<readonly MacHost[]> =>
  (await kube.list(MAC_HOSTS, { signal })).items.map(parseMacHost);

const hostOf = async ({ status }: Machine, context: ReconcileContext): Promise<readonly MacHost[]> => {
  const host = status?.serverID ? await findHost(status.serverID, context) : undefined;
  return host === undefined ? [] : [host];
};

/** By a person, or because it was seen to be detached. */
const isHeldAlready = ({ spec: { hold } }: MacHost): boolean =>
  hold !== undefined && hold.reason !== REASONS.host.owned.ownerVanished;

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

const { moved, namespaceTerminating, detached } = REASONS.host.owned;

/** Undefined: somebody deleted this machine and means it. */
const reasonToHold = async (machine: Machine, { kube, signal }: ReconcileContext): Promise<string | undefined> => {
  if (isMoving(machine)) return moved;
  const namespace = await kube.get(NAMESPACES, { name: machine.metadata.namespace ?? '' }, { signal });
  if (namespace.metadata.deletionTimestamp !== undefined) return namespaceTerminating;
  const definition = await kube.get(CUSTOM_RESOURCE_DEFINITIONS, { name: MACHINES_DEFINITION }, { signal });
  return definition.metadata.deletionTimestamp === undefined ? undefined : namespaceTerminating;
};

const MACHINES_DEFINITION = `${MACHINES.plural}.${MACHINES.group}`;

const HOLD_MESSAGES: Readonly<Record<string, string>> = {
  [moved]: MOVED.message,
  [detached]: DETACHED.message,
  [namespaceTerminating]: 'the machine went with its namespace or its kind, and nobody asked for a release',
};

const holdBack = async ({ ports }: ReleaseDeps, { host, context }: Held, reason: string): Promise<EventReport> => {
  const message = HOLD_MESSAGES[reason] ?? '';
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
