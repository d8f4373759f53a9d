/**
 * Drives each Mac through its life: look at the server live (observe-host.ts), plan (plan-host.ts), store the intent or
 * carry out one effect (carry-out.ts). The only controller that writes to Scaleway or has work done on a Mac.
 */
import { toTimestamp } from '../../base/clock.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import { type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { reconcileLifecycle } from '../../kube/controller/lifecycle.ts';
import { createOperations } from '../../kube/controller/operations.ts';
import { done, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import type { Node } from '../../kube/types/core.ts';
import type { Diagnosis } from '../../scaleway/port/cloud.ts';
import { type Acquaintance, type BootstrapProgress, type BootstrapResult, wantedHashOf } from './bootstrap.ts';
import { carryOut, type HostDeps } from './carry-out.ts';
import { createDecisions } from './decisions.ts';
import { isProvisioned, isWithin, membersOf, nodeOf, ownerOf, type ProviderCaches } from './host-caches.ts';
import { type HostState, hostStateOf, isOrder, isTakenAway } from './host-life.ts';
import type { HostPlan, Owner } from './host-view.ts';
import { isNodeIll, isNodeReady } from './node-health.ts';
import { identityLeftMs, isHeardUnder, silentSince, takenUp } from './node-identity.ts';
import {
  censusOf,
  diagnose,
  findNode,
  judgePresence,
  type Look,
  lookAt,
  needsLook,
  observeCluster,
  observeOwner,
  refOf,
} from './observe-host.ts';
import { orderHost } from './order-host.ts';
import { createOsImages } from './os-images.ts';
import { isOwnerPaused, isOwnerPausedNow } from './owner-pause.ts';
import { planIntent } from './plan-claim.ts';
import { planHost } from './plan-host.ts';
import { planOwner } from './plan-owner.ts';
import { tierOf } from './plan-recovery.ts';
import { planWiping } from './plan-release.ts';
import type { HostPorts } from './ports.ts';
import { awaitFleetKey, pacedUntil, removeLeft, underWay, WATCH_OPERATION_MS, withoutNewsMs } from './prepare-host.ts';
import { isReady } from './report.ts';
import { type RollTurn, rollTurnOf, rollUnderWay } from './roll-host.ts';
import type { Turns } from './turns.ts';
import { nodeRestMs, observeNode, tellIllNode } from './watch-node.ts';

/** A fleet as large as one manager is made for is worked on at once: each Mac is waited for, most of the time. */
const WORK_AT_ONCE = 1_024;
/** Enough to use up the budget of requests to the cloud; no more Macs than these stand between a record and its request. */
export const WORKERS = 16;

export interface HostParts {
  readonly events: EventRecorder;
  readonly turns: Turns;
}

export const createHostController = (
  ports: HostPorts,
  caches: ProviderCaches,
  { events, turns }: HostParts,
): Controller => {
  const options = { clock: ports.clock, concurrency: WORK_AT_ONCE, onChange: (key: string) => controller.wake(key) };
  const operations = createOperations<BootstrapProgress, BootstrapResult>(options);
  const stops = createOperations<never, void>(options);
  const keyLooks = createOperations<never, Acquaintance>(options);
  const deps: HostDeps = {
    ...{ ports, caches, operations, keyLooks, stops },
    ...{ raisedEpochs: new Map(), joinEpochs: new Map(), announced: new Map(), unsent: new Map(), decided: new Set() },
    decisions: createDecisions(),
    images: createOsImages(ports),
    turns,
  };
  const controller = createController({
    name: 'machosts.life',
    workers: WORKERS,
    watches: [
      watchPrimary(caches.hosts),
      watchMapped(caches.machines, (change) => {
        const machine = change.type === 'deleted' ? change.old : change.object;
        return hostsOf(caches, machine.metadata.uid, machine.status?.serverID);
      }),
      watchMapped(caches.clusters, (change) => {
        const cluster = change.type === 'deleted' ? change.old : change.object;
        const members = membersOf(caches, cluster);
        return [
          ...members.flatMap(({ metadata, status }) => hostsOf(caches, metadata.uid, status?.serverID)),
          ...orphansOf(caches, cluster.metadata.uid),
        ];
      }),
      watchMapped(caches.nodes, (change) => hostKeysOf(change.type === 'deleted' ? change.old : change.object)),
    ],
    operations: {
      stop: async () => {
        await Promise.all([operations.stop(), keyLooks.stop(), stops.stop()]);
      },
    },
    reconcile: reconcileLifecycle<MacHost>({
      cache: caches.hosts,
      events,
      finalizer: FINALIZERS.macHost,
      read: parseMacHost,
      gate: async (host) => gate(deps, host),
      up: [{ name: 'live', condition: CONDITIONS.host.ready, run: (host, context) => live(deps, host, context) }],
      down: [{ name: 'leave', condition: CONDITIONS.host.ready, run: (host, context) => leave(deps, host, context) }],
    }),
  });
  return controller;
};

/** The host that a machine names, and the one that it has claimed, should they differ (R16). */
const hostsOf = (
  { hosts }: ProviderCaches,
  uid: string | undefined,
  serverId: string | undefined,
): readonly string[] => {
  const claimed = hosts.byIndex('claim', uid ?? '').map(({ metadata }) => metadata.name);
  return [...new Set(serverId ? [serverId, ...claimed] : claimed)];
};

/** The hosts that wait for a Cluster to go on, so that they may be reclaimed: their machines are not there to name them. */
const orphansOf = ({ hosts }: ProviderCaches, clusterUid: string | undefined): readonly string[] =>
  hosts
    .list()
    .filter(({ spec: { hold, claimRef } }) => hold !== undefined && claimRef?.cluster?.uid === clusterUid)
    .map(({ metadata }) => metadata.name);

const hostKeysOf = (node: { readonly spec?: { readonly providerID?: string } }): readonly string[] => {
  const serverId = node.spec?.providerID?.split('/').at(-1);
  return serverId === undefined ? [] : [serverId];
};

/**
 * Hosts of another project (R1), or of a machine that another manager works for, are not ours; while the owner is paused, work under way ends and nothing new begins. That
 * its machine was taken off it by hand is put on record all the same (R16).
 */
const gate = (
  { ports, caches, operations, keyLooks, stops }: HostDeps,
  host: MacHost,
): StepResult<MacHost> | undefined => {
  const { projectId, namespace } = ports.settings;
  if (host.spec.source.scaleway?.projectID !== projectId || !isWithin(namespace, host)) return stop();
  if (!isOwnerPaused(caches, host)) return undefined;
  for (const work of [operations, keyLooks, stops]) work.cancel(host.metadata.uid ?? '');
  return ownerOf(caches, host) === 'detached' && host.spec.hold === undefined ? undefined : stop();
};

/** A host that is not free stays on record, whoever deletes it (R4), and goes on with its life meanwhile. */
const leave = (deps: HostDeps, host: MacHost, context: ReconcileContext): Promise<StepResult<MacHost>> => {
  if (isOrder(host.spec)) return leaveOrder(deps, host, context);
  const isGone = host.status?.server?.goneAt !== undefined && ownerOf(deps.caches, host) !== 'names-it';
  const isMoved = host.spec.hold?.reason === REASONS.host.owned.moved && host.spec.release === undefined;
  return hostStateOf(host.spec, 'absent') === 'free' || isGone || isMoved
    ? Promise.resolve(done())
    : live(deps, host, context);
};

/** An intent stays until it is known what came of it, whoever deletes it. */
const leaveOrder = async (deps: HostDeps, host: MacHost, context: ReconcileContext): Promise<StepResult<MacHost>> => {
  const result = await orderHost(deps, host, context);
  return result.kind === 'stop' ? done() : result;
};

const live = async (deps: HostDeps, host: MacHost, context: ReconcileContext): Promise<StepResult<MacHost>> => {
  if (isOrder(host.spec)) return orderHost(deps, host, context);
  const { ports, caches } = deps;
  const nowMs = ports.clock.now();
  const itsNode = await observeNode(caches, host, context);
  const node = isJoined(deps, host, { node: itsNode, nowMs }) ? 'there' : 'absent';
  const state = hostStateOf(host.spec, node);
  const owed = state === 'joined' ? arrival(host, itsNode) : tellIllNode(host, itsNode, { state, nowMs });
  if (owed !== undefined) return owed;
  endStrayWork(deps, host, state);
  const keyless = state === 'claimed' ? await awaitFleetKey(deps, host, context.signal) : undefined;
  if (keyless !== undefined) return keyless;
  const owner = await observeOwner(caches, host, context);
  const turn: RollTurn = state === 'joined' ? rollTurnOf(deps, host) : { is: 'nothing' };
  const look = await lookIfNeeded(deps, { host, state, owner, turn, context });
  if (look.kind === 'not-yet') return look.result;
  // It may have stood in line for long.
  const seenMs = ports.clock.now();
  const told = { state, nowMs: seenMs, isAtWork: () => deps.operations.state(host.metadata.uid ?? '') !== undefined };
  if (look.kind === 'enough') return withStatus(look.result, host, { ...told, server: undefined });
  const presence = judgePresence(host.status?.server, look.look, seenMs);
  const isOrphan = state === 'held' && owner === 'gone' && ports.settings.limits.reclaim !== undefined;
  const isClusterActive = isOrphan && (await observeCluster(host, context));
  // Before it goes back to the pool the API itself says whether anything is left of its Node.
  const left = state === 'wiping' ? await nodeLeftOf(caches, host, context) : node;
  const plan = planHost({
    ...{ nowMs: seenMs, spec: host.spec, server: look.look.server, isGone: presence.isGone, owner, node: left },
    isClusterActive,
    isProvisioned: isProvisioned(caches, host),
    isUnsent: deps.unsent.has(host.spec.lastWrite?.id ?? ''),
    diagnosis: look.diagnosis,
    ...{ configHash: wantedHashOf(ports, host), isTurnToRoll: turn.is === 'now' },
    clusterId: ports.settings.clusterId,
    ...{ times: ports.settings.times, limits: ports.settings.limits },
    census: () => censusOf(deps, host, seenMs),
    uuid: ports.ids.uuid,
  });
  const isAtRest = plan.do === 'rest' && state === 'joined';
  const result = isAtRest ? restOf(deps, host, turn) : await carryOut(deps, plan, { host, look: look.look, context });
  // The record is newer than what this pass has read: the next tells how the Mac stands.
  if ('record' in plan && plan.record !== undefined && result.condition === undefined) return result;
  return withStatus(result, host, { ...told, server: presence.server });
};

/**
 * A Mac whose certificate ran out cannot renew it: it joins anew, with a new token (R23), and nothing that its Node says is about
 * that before the Mac was bootstrapped. One whose disk was kept in a wipe speaks under the name of the machine before (F23). One that
 * has been given back, of which an older etcd knows nothing, is no Node any more, whatever that etcd has.
 */
const isJoined = (
  { ports, operations }: HostDeps,
  host: MacHost,
  { node, nowMs }: { readonly node: Node | undefined; readonly nowMs: number },
): boolean => {
  if (node === undefined || node.metadata.name !== host.spec.claimRef?.name) return false;
  if (isTakenAway(host) || (identityLeftMs(host, nowMs) ?? 1) <= 0 || isNodeIll(node, nowMs)) return false;
  const isBootstrapped = operations.state(host.metadata.uid ?? '')?.state === 'succeeded';
  if (host.spec.identity?.offered === true && !isBootstrapped) return false;
  return isHeardUnder(node, host, ports.join.lifeMs);
};

/** What goes on record of a Mac that has come: its identity, and that what failed before does not count any more. */
const arrival = ({ spec }: MacHost, node: Node | undefined): StepResult<MacHost> | undefined => {
  if (spec.identity?.offered === true) return wait(0, { spec: takenUp(spec.identity) });
  if (spec.budgets.bootstrap.failures === 0 || !isNodeReady(node)) return undefined;
  return wait(0, { spec: { budgets: { ...spec.budgets, bootstrap: { failures: 0 } } } });
};

const nodeLeftOf = async (caches: ProviderCaches, host: MacHost, context: ReconcileContext) =>
  (await findNode(caches, host, context)) === undefined ? 'absent' : 'there';

/** Work belongs to a state: a bootstrap or a roll to Macs that are used, a stopping of the agent to the ways out. */
const endStrayWork = (deps: HostDeps, { metadata: { uid = '', name } }: MacHost, state: HostState): void => {
  const { operations, keyLooks, stops, raisedEpochs, joinEpochs, announced, turns } = deps;
  if (state !== 'claimed') keyLooks.cancel(uid);
  // One that is free may be about to be claimed, with its turn.
  if (state !== 'claimed' && state !== 'free') turns.end(name);
  if (state !== 'preparing' && state !== 'joined') operations.cancel(uid);
  // The next claim works under an epoch of its own, with its own identity on record (R10, R23).
  if (state !== 'claimed' && state !== 'preparing' && state !== 'joined') {
    raisedEpochs.delete(uid);
    joinEpochs.delete(uid);
    announced.delete(uid);
  }
  if (state !== 'releasing' && state !== 'terminating') stops.cancel(uid);
};

interface Glance {
  readonly host: MacHost;
  readonly state: HostState;
  readonly owner: Owner;
  readonly turn: RollTurn;
  readonly context: ReconcileContext;
}

type Looked =
  | { readonly kind: 'looked'; readonly look: Look; readonly diagnosis: Diagnosis | undefined }
  /** There is nothing to tell yet either. */
  | { readonly kind: 'not-yet'; readonly result: StepResult<MacHost> }
  /** There is nothing to act on, so the cloud is not asked. */
  | { readonly kind: 'enough'; readonly result: StepResult<MacHost> };

const lookIfNeeded = async (deps: HostDeps, glance: Glance): Promise<Looked> => {
  const { host, state, owner, context } = glance;
  const unlooked = (await followRecord(deps, glance)) ?? (await followWork(deps, glance));
  if (unlooked !== undefined) return unlooked;
  if (owner === 'names-it' && (await isOwnerPausedNow(host, context)))
    return { kind: 'not-yet', result: wait(deps.ports.settings.times.pollMs) };
  // First what takes long: an effect is allowed only while the look is young.
  const diagnosis = await diagnose(deps.ports, host, { state, signal: context.signal });
  if (state === 'releasing') await deps.images.of(refOf(host).zone, host.spec.type ?? '', context.signal);
  return { kind: 'looked', look: await lookAt(deps.ports, host, context), diagnosis };
};

/** What is next by the record alone; undefined: that depends on more. */
const followRecord = async (deps: HostDeps, { host, state, owner, context }: Glance): Promise<Looked | undefined> => {
  // Just put on record: what its server looks like follows at once.
  if (state === 'free' && host.status?.server === undefined) return { kind: 'not-yet', result: stop() };
  // Left behind by a machine that was moved to another cluster: the next Node of this Mac would be its second.
  const left = state === 'free' ? nodeOf(deps.caches, host) : undefined;
  if (left !== undefined && silentSince(left) !== undefined) {
    await removeLeft(left, context);
    return { kind: 'enough', result: wait(deps.ports.settings.times.pollMs) };
  }
  const plan = planUnlooked(deps, host, { state, owner });
  if (plan === undefined) return undefined;
  if (plan.do === 'store' && !deps.turns.take(host.metadata.name))
    return { kind: 'not-yet', result: wait(deps.ports.settings.times.recordMaxAgeMs) };
  return { kind: 'enough', result: await carryOut(deps, plan, { host, look: UNLOOKED, context }) };
};

const planUnlooked = (
  { ports }: HostDeps,
  { spec, status }: MacHost,
  { state, owner }: Pick<Glance, 'state' | 'owner'>,
): HostPlan | undefined => {
  const { times } = ports.settings;
  const seen = { spec, sighting: status?.server, nowMs: ports.clock.now(), times };
  if (state === 'claimed') return planIntent({ ...seen, owner, uuid: ports.ids.uuid });
  if (state === 'joined' && owner === 'leaving') return planOwner({ ...seen, owner });
  return state === 'wiping' ? planWiping(seen) : undefined;
};

/** What there is to say of work under way, or of a Mac that nothing is to be done to; undefined: look. */
const followWork = async (
  deps: HostDeps,
  { host, state, owner, turn, context }: Glance,
): Promise<Looked | undefined> => {
  const isStopping = deps.stops.state(host.metadata.uid ?? '')?.state === 'running';
  if (isStopping && host.status?.state === state) return { kind: 'not-yet', result: wait(WATCH_OPERATION_MS) };
  const rolling = state === 'joined' && owner === 'names-it' ? await rollUnderWay(deps, host, context) : undefined;
  if (rolling === 'not-yet') return { kind: 'not-yet', result: wait(withoutNewsMs(deps, host) ?? WATCH_OPERATION_MS) };
  if (rolling !== undefined) return { kind: 'enough', result: rolling };
  if (!needsLook(host, { state, owner, isTurnToRoll: turn.is === 'now' }))
    return { kind: 'enough', result: restOf(deps, host, turn) };
  if (state !== 'preparing' || owner !== 'names-it' || host.spec.rebootRequest !== undefined) return undefined;
  const quietMs = withoutNewsMs(deps, host);
  if (quietMs !== undefined) return { kind: 'not-yet', result: wait(quietMs) };
  const result = underWay(deps, host) ?? (isAboutToAct(deps, host) ? undefined : pacedUntil(deps, host));
  return result === undefined ? undefined : { kind: 'enough', result };
};

/** For plans without an effect: with it none is permitted. */
const UNLOOKED: Look = { server: undefined, atMs: Number.NEGATIVE_INFINITY };

/** Until its identity may have run out, its Node has not been ready for long, or it is its turn to be changed. */
const restOf = ({ ports, caches }: HostDeps, host: MacHost, turn: RollTurn): StepResult<MacHost> => {
  const nowMs = ports.clock.now();
  const nodeMs = nodeRestMs(nodeOf(caches, host), nowMs);
  const times = [identityLeftMs(host, nowMs), nodeMs, turn.is === 'later' ? turn.afterMs : undefined];
  const afterMs = Math.min(...times.filter((time) => time !== undefined));
  const told = isReady(turn.is === 'later' ? turn.message : '');
  return Number.isFinite(afterMs) ? wait(afterMs, told) : stop(told);
};

/** What recovery does is not paced by the next try. */
const isAboutToAct = ({ unsent, ports }: HostDeps, { spec }: MacHost): boolean =>
  unsent.has(spec.lastWrite?.id ?? '') || tierOf(spec, ports.settings.limits) !== 'retry';

const withStatus = (
  result: StepResult<MacHost>,
  { status }: MacHost,
  seen: {
    readonly state: HostState;
    readonly nowMs: number;
    readonly server: NonNullable<MacHost['status']>['server'];
    readonly isAtWork: () => boolean;
  },
): StepResult<MacHost> => {
  const freed = freedState(result);
  if (isInPassing(result) && freed === undefined) return result;
  const state = freed ?? seen.state;
  return {
    ...result,
    status: {
      ...(status?.state === state ? {} : { state, stateSince: toTimestamp(seen.nowMs) }),
      ...(seen.server === undefined ? {} : { server: seen.server }),
      // What was verified on it is not on it any more.
      ...(freed === undefined || status?.configHash === undefined ? {} : { configHash: undefined }),
      // Work that is over, or was that of a process which is no more.
      ...(status?.operation === undefined || seen.isAtWork() ? {} : { operation: undefined }),
      ...result.status,
    },
  };
};

/** A pass that says nothing and is followed by another at once: that one tells how the Mac stands. */
const isInPassing = (result: StepResult<MacHost>): boolean =>
  result.kind === 'wait' && result.afterMs === 0 && result.condition === undefined && result.status === undefined;

/** Whoever may have the Mac next decides by how it was seen: that goes on record with its being let go. Undefined: it is not. */
const freedState = ({ spec }: StepResult<MacHost>): HostState | undefined => {
  if (spec === undefined || !('claimRef' in spec) || spec.claimRef !== undefined) return undefined;
  return spec.quarantine === undefined ? 'free' : 'quarantined';
};
