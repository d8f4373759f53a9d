/**
 * Cluster API's infrastructure machine: chooses a Mac, claims it, waits until it has joined, tells core; and when it is
 * deleted asks for the Mac's release and goes at once: nobody waits for a wipe (R11, 002-5).
 */
import { parseTimestamp } from '../../base/clock.ts';
import { isEqualJson } from '../../base/json.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import { parseMachine, type ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { Change } from '../../kube/cache/object-store.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done, type Report, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_ANNOTATIONS, CLUSTER_API_LABELS } from '../../kube/types/cluster-api.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { clusterNameOf, clusterOf, isPaused, reportPause } from '../cluster/pause.ts';
import { claimOf, configurationOf } from '../host/claim-of.ts';
import { machinesOf, membersOf, type ProviderCaches, providerIdOf } from '../host/host-caches.ts';
import { hostStateOf, sightName } from '../host/host-life.ts';
import { findHost, patchHost } from '../host/host-record.ts';
import type { KnownStrays } from '../host/known-strays.ts';
import { pendingNameOf } from '../host/plan-claim.ts';
import { NO_ORDERS } from '../host/plan-order.ts';
import type { HostPorts } from '../host/ports.ts';
import { wishFor } from '../host/recorded-write.ts';
import type { Turns } from '../host/turns.ts';
import { awaitRecord } from './await-record.ts';
import { type Choice, chooseHost, refuseName } from './choose-host.ts';
import { findNamesake } from './find-namesake.ts';
import { createHandOut } from './hand-out.ts';
import { judgeHost } from './judge-host.ts';
import { bootstrapMessageOf, isPreparedAnew, mirrorOf, READY_EVENTS, tellBootstrap } from './mirror-host.ts';
import type { MissedHosts } from './missed-hosts.ts';
import { createRefusedHosts, type RefusedHosts } from './refused-hosts.ts';
import { releaseHost } from './release-host.ts';
import { askForReplacement } from './replace-machine.ts';
import { describeOrder, requestOrder } from './request-order.ts';
import { isFailureCleared, rollStatusOf } from './roll-status.ts';

export interface MachineDeps {
  readonly ports: Pick<HostPorts, 'clock' | 'ids' | 'settings'>;
  readonly caches: ProviderCaches;
  readonly events: EventRecorder;
  readonly missed: MissedHosts;
  readonly strays: Pick<KnownStrays, 'named'>;
  readonly refused: RefusedHosts;
  /** Whose claim may be put on record as about to be carried out. */
  readonly turns: Turns;
}

type Machine = ScalewayAppleSiliconMachine;
type Result = StepResult<Machine>;

const { provisioned } = REASONS.machine;

export const createMachineController = (options: Omit<MachineDeps, 'refused'>): Controller => {
  const deps: MachineDeps = { ...options, refused: createRefusedHosts() };
  const { caches, events } = deps;
  const { machineWorkers } = deps.ports.settings;
  const handOut = createHandOut(deps.ports, caches);
  return createController({
    name: 'scalewayapplesiliconmachines.lifecycle',
    ...(machineWorkers === undefined ? {} : { workers: machineWorkers }),
    watches: [
      watchPrimary(caches.machines),
      watchMapped(caches.machines, (change) => rivalsOf(caches, change)),
      watchMapped(caches.hosts, (change) =>
        change.type === 'deleted' ? machinesOf(caches, change.old) : handOut.concernedBy(change.object),
      ),
      watchMapped(caches.clusters, (change) =>
        membersOf(caches, change.type === 'deleted' ? change.old : change.object).map((machine) =>
          renderKey(keyOf(machine)),
        ),
      ),
    ],
    reconcile: reconcileLifecycle<Machine>({
      cache: caches.machines,
      events,
      finalizer: FINALIZERS.machine,
      // It is about to choose a Mac, mostly; with the choice it would be a write of its own.
      annotations: ({ spec }) => (spec.providerID ? {} : BLOCKING.annotations),
      read: parseMachine,
      gate: async (machine) => gate(deps, machine),
      up: [
        {
          name: 'go-on',
          condition: CONDITIONS.machine.paused,
          run: async () => done({ condition: reportPause('False') }),
        },
        step('judge', (machine, context) => judge(deps, machine, context)),
        step('choose', (machine, context) => {
          handOut.hasLooked(machine);
          return choose(deps, machine, context);
        }),
        step('claim', (machine, context) => claim(deps, machine, context)),
        {
          name: 'bootstrap',
          condition: CONDITIONS.machine.bootstrapped,
          run: async (machine) => tellBootstrap(machine, caches.hosts.get(machine.status?.serverID ?? '')),
        },
        step('join', (machine, context) => join(deps, machine, context)),
      ],
      down: [
        step('release', (machine, context) => {
          handOut.hasLooked(machine);
          deps.refused.forget(machine);
          return releaseHost(deps, machine, context);
        }),
      ],
      summary: READY_WHEN,
    }),
  });
};

const READY_WHEN = {
  type: CONDITIONS.machine.ready,
  of: [CONDITIONS.machine.provisioned, CONDITIONS.machine.bootstrapped],
};

const step = (name: string, run: Step<Machine>['run']): Step<Machine> => ({
  name,
  condition: CONDITIONS.machine.provisioned,
  run,
});

/** Paused freezes everything but deletion; without its owners there is nothing to work for yet (001-2, F77). */
const gate = ({ ports, caches }: MachineDeps, machine: Machine): Result | undefined => {
  const { metadata } = machine;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const cluster = clusterOf(caches.clusters, machine);
  if (!isOwned(machine) || cluster === undefined) return awaitOwners(machine, ports.clock.now());
  if (isPaused(caches.clusters, machine)) return stop<Machine>({ condition: reportPause('True') });
  const isMacless = !machine.status?.serverID && !machine.spec.providerID;
  if (!isMacless || cluster.status?.initialization?.infrastructureProvisioned === true) return undefined;
  const message = `The Cluster ${cluster.metadata.name} has no infrastructure yet: what its infrastructureRef names is to become provisioned.`;
  return stop<Machine>(notYet(provisioned.waitingForCluster, message));
};

const isOwned = ({ metadata }: Machine): boolean =>
  metadata.ownerReferences?.some(({ kind }) => kind === 'Machine') ?? false;

/** Core makes this object before the Machine that owns it: that it has none is told only of one that stays so. */
const OWNERS_COME_MS = 5_000;

const awaitOwners = (machine: Machine, nowMs: number): Result => {
  const ageMs = nowMs - (parseTimestamp(machine.metadata.creationTimestamp) ?? 0);
  // Whose clock is ahead of ours is not waited for.
  if (ageMs >= 0 && ageMs < OWNERS_COME_MS) return wait<Machine>(OWNERS_COME_MS - ageMs);
  return stop<Machine>(notYet(provisioned.waitingForCluster, describeMissing(machine)));
};

const describeMissing = (machine: Machine): string => {
  if (!isOwned(machine))
    return 'No Machine owns this object: create one whose infrastructureRef names it, or delete it. It gets no Mac before.';
  const cluster = clusterNameOf(machine);
  return cluster === undefined
    ? `It has no label ${CLUSTER_API_LABELS.clusterName}: Cluster API sets it with the name of the Machine's Cluster.`
    : `The Cluster ${cluster} is not in this namespace: create it, or delete the Machine.`;
};

const notYet = (reason: string, message: string): Report<Machine> => ({
  condition: { type: CONDITIONS.machine.provisioned, status: 'False', reason, message },
});

/** A Mac that was lost is let go before anything else. */
const judge = async ({ ports, caches }: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const judgement = judgeHost(machine, caches.hosts.get(machine.status?.serverID ?? ''));
  if (judgement.kind === 'fine') return done();
  const { message } = judgement;
  if (judgement.kind === 'replace') return giveUp(ports, machine, { message, context });
  return wait<Machine>(0, {
    ...notYet(provisioned.hostReleased, message),
    ...LETTING_GO,
    events: [{ type: 'Warning', reason: provisioned.hostReleased, message }],
    status: { serverID: undefined, phase: 'Pending' },
  });
};

/** One whose providerID is there waits for the record of its Mac, which the inventory makes anew (R17). */
const isDetached = ({ spec, status }: Machine): boolean =>
  status?.initialization?.provisioned === true && !spec.providerID;

/** It has a Node, and core knows it by its providerID: another Mac is another Machine (R22). `initialization.provisioned` stays. */
const giveUp = async (
  { clock }: Pick<HostPorts, 'clock'>,
  machine: Machine,
  { message, context }: { readonly message: string; readonly context: ReconcileContext },
): Promise<Result> => {
  await askForReplacement(machine, { message, nowMs: clock.now() }, context);
  const { hostReleased: reason } = provisioned;
  return stop<Machine>({
    ...notYet(reason, message),
    events: isTold(machine, reason) ? [] : [{ type: 'Warning', reason, message }],
    status: { ready: false, phase: 'Failed' },
  });
};

/** `clusterctl move` waits: a machine on its way to a Mac would lose that on the move (R17). */
const BLOCKING = { annotations: { [CLUSTER_API_ANNOTATIONS.blockMove]: '' } };
const LETTING_GO = { annotations: { [CLUSTER_API_ANNOTATIONS.blockMove]: undefined } };

/** The choice is stored before the claim, so that a claim is never one that its machine does not know of (R5). */
const choose = async (deps: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const { ports, caches, strays } = deps;
  if (machine.status?.serverID) return done();
  const machines = caches.machines.list();
  const others = machines.filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
  // In the order in which they came: who comes later changes nothing for those before.
  const waiting = machines.filter(({ status }) => !status?.serverID);
  const wish = chooseHost({
    nowMs: ports.clock.now(),
    times: ports.settings.times,
    machine,
    hosts: caches.hosts.list().filter((host) => !deps.refused.has(machine, host)),
    ahead: Math.max(
      waiting.findIndex(({ metadata }) => metadata.uid === machine.metadata.uid),
      0,
    ),
    taken: new Set(others.map(({ status }) => status?.serverID ?? '')),
    others,
    poolPrefix: ports.settings.poolPrefix,
    poolNamespaces: ports.settings.poolNamespaces ?? new Map(),
    projectId: ports.settings.projectId,
    zones: ports.settings.zones,
    orders: ports.settings.orders ?? NO_ORDERS,
    namesake: strays.named(machine.metadata.name),
  });
  const namesake = isNew(wish) ? await findNamesake(caches, machine, context) : undefined;
  const choice = namesake === undefined ? wish : refuseName(namesake);
  if (choice.kind !== 'known' && isDetached(machine))
    return giveUp(ports, machine, { message: 'Its Mac was taken off it.', context });
  if (choice.kind === 'order') return rent(deps, machine, { intent: choice.intent, context });
  if (choice.kind === 'none') {
    return wait<Machine>(ports.settings.times.quietMs, {
      ...notYet(choice.reason, choice.message),
      ...LETTING_GO,
      events: isTold(machine, choice.reason)
        ? []
        : [{ type: 'Warning', reason: choice.reason, message: choice.message }],
      status: { phase: 'Pending' },
    });
  }
  const message = choice.kind === 'known' ? `Has claimed ${choice.serverId}.` : `Claiming ${choice.serverId}.`;
  return wait<Machine>(0, {
    ...notYet(provisioned.adopting, message),
    ...(machine.spec.providerID ? {} : BLOCKING),
    ...(choice.kind === 'known' ? {} : { events: [{ type: 'Normal', reason: provisioned.adopting, message }] }),
    status: { serverID: choice.serverId, phase: 'Adopting' },
  });
};

/** Whether it is about to get a Mac that it did not have before. */
const isNew = (choice: Choice): boolean =>
  choice.kind === 'chosen' || (choice.kind === 'order' && choice.intent === undefined);

const isTold = ({ status }: Machine, reason: string): boolean =>
  status?.conditions?.some((told) => told.type === CONDITIONS.machine.provisioned && told.reason === reason) === true;

/** The intent is pursued by provider/host, which alone spends money; the machine tells how far it is. */
const rent = async (
  { ports }: MachineDeps,
  machine: Machine,
  { intent, context }: { readonly intent: MacHost | undefined; readonly context: ReconcileContext },
): Promise<Result> => {
  if (intent === undefined) await requestOrder(ports, machine, context);
  const { reason, message } = describeOrder(intent);
  return wait<Machine>(ports.settings.times.quietMs, {
    ...notYet(reason, message),
    ...BLOCKING,
    status: { phase: 'Provisioning' },
  });
};

/**
 * Compare-and-set on the host, read live: of two machines one gets it, the other chooses again first (R5). A record that was lost is
 * waited for; a machine with a providerID gets no other Mac, however long that takes (R17, R22).
 */
const claim = async (deps: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const { ports, caches, missed, refused } = deps;
  const { uid = '' } = machine.metadata;
  const serverId = machine.status?.serverID ?? '';
  const cached = caches.hosts.get(serverId);
  const host = cached?.spec.claimRef?.uid === uid ? cached : await findHost(serverId, context);
  if (host === undefined && machine.spec.providerID) return wait<Machine>(ports.settings.times.pollMs);
  if (host === undefined && !missed.isLostFor(machine)) return awaitRecord(ports, machine);
  missed.forget(machine);
  if (host?.spec.claimRef?.uid === uid) {
    refused.forget(machine);
    return done();
  }
  const rivals = caches.machines.byIndex('server', serverId);
  const isFirst = isFirstOf(rivals, machine) && rivals.every((rival) => isActive(caches, machine, rival));
  if (host === undefined || !isFreeFor(machine, host) || !isFirst) {
    if (cached !== undefined && isFirst) refused.note(machine, cached);
    const reason = isFirst ? provisioned.noAvailableHost : provisioned.duplicateClaim;
    return wait<Machine>(0, {
      ...notYet(reason, 'The host went to another machine, or is not free any more.'),
      ...LETTING_GO,
      status: { serverID: undefined, phase: 'Pending' },
    });
  }
  if (sightName(host.spec, host.status?.server?.name) !== 'pool')
    return wait<Machine>(ports.settings.times.pollMs, notYet(provisioned.hostNotOnRecord, describeMismatch(serverId)));
  if (rivals.length > 1)
    return wait<Machine>(ports.settings.times.pollMs, notYet(provisioned.duplicateClaim, describeRivals(serverId)));
  return putClaim(deps, machine, { host, context });
};

/** With the wish for its pending name, which is about to be sent (R7): so it takes a turn. */
const putClaim = async (
  { ports: { clock, ids, settings }, caches, turns }: MachineDeps,
  machine: Machine,
  { host, context }: { readonly host: MacHost; readonly context: ReconcileContext },
): Promise<Result> => {
  const { name } = host.metadata;
  if (!turns.take(name)) return wait<Machine>(settings.times.recordMaxAgeMs);
  const rename = { from: host.status?.server?.name ?? '', to: pendingNameOf(machine.metadata.uid ?? '') };
  const wish = wishFor({ nowMs: clock.now(), uuid: ids.uuid }, rename);
  try {
    await patchHost(host, { ...claimOf(machine, clusterOf(caches.clusters, machine)), ...wish }, context);
  } catch (error) {
    turns.end(name);
    throw error;
  }
  return wait<Machine>(settings.times.pollMs);
};

/** One that another cluster took is nobody's by its record, and has lost its pool name: to claim it again would go on for ever (R7). */
const isFreeFor = ({ metadata: { name, uid = '' } }: Machine, { spec, status }: MacHost): boolean => {
  if (hostStateOf(spec, 'absent') !== 'free') return false;
  const seen = status?.server?.name ?? '';
  return sightName(spec, seen) === 'pool' || [name, pendingNameOf(uid)].includes(seen);
};

/** A rival that is paused does not let go, however long it is waited for. */
const isActive = ({ clusters }: ProviderCaches, machine: Machine, rival: Machine): boolean =>
  rival.metadata.uid === machine.metadata.uid || !isPaused(clusters, rival);

const describeRivals = (serverId: string): string =>
  `Another machine names ${serverId} too: nobody claims it before that one lets go.`;

/** Whoever names a Mac that another one has let go of need not wait for it any longer (R5). */
const rivalsOf = ({ machines }: ProviderCaches, change: Change<Machine>): readonly string[] => {
  if (change.type === 'added') return [];
  const before = change.old.status?.serverID;
  const after = change.type === 'deleted' ? undefined : change.object.status?.serverID;
  if (!before || before === after) return [];
  return machines.byIndex('server', before).map((machine) => renderKey(keyOf(machine)));
};

/** An etcd that went back knows a Mac as free that has a machine's name by now, perhaps that of this very machine. */
const describeMismatch = (serverId: string): string =>
  `Its Mac ${serverId} has no pool name at Scaleway: the record of it is mended first.`;

/** Of several machines that chose the same free host at once, the one with the lowest UID keeps it; all agree on that. */
const isFirstOf = (rivals: readonly Machine[], { metadata }: Machine): boolean =>
  rivals.every((rival) => (rival.metadata.uid ?? '') >= (metadata.uid ?? ''));

const NEW_ATTEMPTS = { failures: 0, lastFailureAt: null, failedHash: null };

/** providerID and provisioned are set together, once the Mac has joined (R22). */
const join = async ({ ports, caches }: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const host = caches.hosts.get(machine.status?.serverID ?? '');
  const state = host?.status?.state;
  if (host === undefined || (state !== 'joined' && machine.status?.initialization?.provisioned !== true))
    return stop<Machine>(mirrorOf(machine, host));
  const configuration = configurationOf(machine);
  if (!isEqualJson(host.spec.configuration, configuration))
    await patchHost(host, { configuration: configuration ?? null }, context);
  if (isFailureCleared(machine, host)) await patchHost(host, { budgets: { roll: NEW_ATTEMPTS } }, context);
  const address = host.status?.server?.address;
  const isAnew = isPreparedAnew(machine, host);
  return done<Machine>({
    ...LETTING_GO,
    ...(machine.status?.initialization?.provisioned === true ? {} : { events: READY_EVENTS }),
    spec: { providerID: providerIdOf(host) },
    status: {
      initialization: { provisioned: true },
      ready: !isAnew,
      ...rollStatusOf(host, ports.settings.roll),
      ...(isAnew ? { phase: 'Bootstrapping' } : {}),
      ...(address === undefined ? {} : { addresses: [{ type: 'ExternalIP', address }] }),
      ...(host.spec.source.scaleway === undefined ? {} : { failureDomain: host.spec.source.scaleway.zone }),
    },
    // Shown as what the machine waits for.
    condition: {
      ...{ type: CONDITIONS.machine.provisioned, status: 'True', reason: provisioned.provisioned },
      message: isAnew ? bootstrapMessageOf(machine) : '',
    },
  });
};
