/**
 * Drives each Mac through its life: look at the server live, plan (plan-host.ts), store the intent or carry out one
 * effect. The only controller that writes to Scaleway or has work done on a Mac.
 */
import { afterFailure } from '../../base/backoff.ts';
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError, isKind, unreachable } from '../../base/errors.ts';
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
import { createOperations, type Operations } from '../../kube/controller/operations.ts';
import { done, type Report, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { NODES } from '../../kube/types/core.ts';
import type { ServerAccess, WriteCall } from '../../scaleway/port/cloud.ts';
import { chooseOsImage } from '../../scaleway/port/os-family.ts';
import { type BootstrapProgress, type BootstrapResult, bootstrapHost, lookAtHostKey, stopAgent } from './bootstrap.ts';
import { isOwnerPaused, membersOf, nodeOf, ownerOf, type ProviderCaches, providerIdOf } from './host-caches.ts';
import { type HostState, hostStateOf } from './host-life.ts';
import { acceptWipe, type HostPlan, planHost } from './plan-host.ts';
import type { HostPorts } from './ports.ts';

/** A live look is good for this long; a process that was frozen since sends nothing (R13). */
const LOOK_GOOD_FOR_MS = 5_000;
const WATCH_OPERATION_MS = 60_000;

interface HostDeps {
  readonly ports: HostPorts;
  readonly caches: ProviderCaches;
  readonly operations: Operations<BootstrapProgress, BootstrapResult>;
  /** Stopping agents before a wipe: best effort, so its outcome does not matter. */
  readonly stops: Operations<never, void>;
  /** The epoch that this process raised for a host, by UID: only under its own does it start work. */
  readonly raisedEpochs: Map<string, number>;
}

export const createHostController = (ports: HostPorts, caches: ProviderCaches, events: EventRecorder): Controller => {
  const operations = createOperations<BootstrapProgress, BootstrapResult>({
    clock: ports.clock,
    concurrency: 64,
    onChange: (key) => controller.wake(key),
  });
  const stops = createOperations<never, void>({
    clock: ports.clock,
    concurrency: 64,
    onChange: (key) => controller.wake(key),
  });
  const deps: HostDeps = { ports, caches, operations, stops, raisedEpochs: new Map() };
  const controller = createController({
    name: 'machosts.life',
    watches: [
      watchPrimary(caches.hosts),
      watchMapped(caches.machines, (change) => {
        const machine = change.type === 'deleted' ? change.old : change.object;
        return machine.status?.serverID ? [machine.status.serverID] : [];
      }),
      watchMapped(caches.clusters, (change) =>
        membersOf(caches, change.type === 'deleted' ? change.old : change.object).flatMap(({ status }) =>
          status?.serverID ? [status.serverID] : [],
        ),
      ),
      watchMapped(caches.nodes, (change) => hostKeysOf(change.type === 'deleted' ? change.old : change.object)),
    ],
    operations: {
      stop: async () => {
        await Promise.all([operations.stop(), stops.stop()]);
      },
    },
    reconcile: reconcileLifecycle<MacHost>({
      cache: caches.hosts,
      events,
      finalizer: FINALIZERS.macHost,
      read: parseMacHost,
      gate: async (host) => gate(deps, host),
      up: [{ name: 'live', condition: CONDITIONS.host.ready, run: (host, context) => live(deps, host, context) }],
      down: [{ name: 'leave', condition: CONDITIONS.host.ready, run: async (host) => leave(host) }],
    }),
  });
  return controller;
};

const hostKeysOf = (node: { readonly spec?: { readonly providerID?: string } }): readonly string[] => {
  const serverId = node.spec?.providerID?.split('/').at(-1);
  return serverId === undefined ? [] : [serverId];
};

/** Hosts of another project are not ours (R1); while the owner is paused, work under way ends and nothing new begins. */
const gate = ({ ports, caches, operations, stops }: HostDeps, host: MacHost): StepResult<MacHost> | undefined => {
  if (host.spec.source.scaleway?.projectID !== ports.settings.projectId) return stop();
  if (!isOwnerPaused(caches, host)) return undefined;
  operations.cancel(host.metadata.uid ?? '');
  stops.cancel(host.metadata.uid ?? '');
  return stop();
};

/** A host that is not free stays on record, whoever deletes it (R4). */
const leave = ({ spec }: MacHost): StepResult<MacHost> => (hostStateOf(spec, 'absent') === 'free' ? done() : stop());

const live = async (deps: HostDeps, host: MacHost, context: ReconcileContext): Promise<StepResult<MacHost>> => {
  const { ports, caches } = deps;
  const node = nodeOf(caches, host) === undefined ? 'absent' : 'there';
  const state = hostStateOf(host.spec, node);
  if (state !== 'preparing') deps.operations.cancel(host.metadata.uid ?? '');
  if (state !== 'releasing') deps.stops.cancel(host.metadata.uid ?? '');
  const look = needsLook(host, state) ? await lookAt(ports, host, context) : undefined;
  const view = { spec: host.spec, server: look?.server, owner: ownerOf(caches, host), node } as const;
  const { clusterId, times } = ports.settings;
  const plan: HostPlan =
    look === undefined
      ? { do: 'rest' }
      : planHost({ ...view, nowMs: ports.clock.now(), clusterId, times, uuid: ports.ids.uuid });
  const result = await carryOut(deps, { host, plan, look, context });
  return { ...result, status: { ...statusOf(host, state, ports), ...result.status } };
};

/** Nothing is done to a Mac that is free or has joined, so it is looked at only when the inventory does not see it. */
const needsLook = ({ status }: MacHost, state: HostState): boolean =>
  state === 'joined' ? status?.server?.missingSince !== undefined : state !== 'free';

const statusOf = ({ status }: MacHost, state: HostState, { clock }: HostPorts) =>
  status?.state === state ? {} : { state, stateSince: toTimestamp(clock.now()) };

interface Look {
  readonly server: ServerAccess | undefined;
  readonly atMs: number;
}

/** A server that Scaleway does not show is unseen, which proves nothing yet (R19); any other trouble is an error. */
const lookAt = async ({ cloud, clock }: HostPorts, host: MacHost, { signal }: ReconcileContext): Promise<Look> => {
  const atMs = clock.elapsed();
  const ref = refOf(host);
  try {
    return { server: await cloud.getServer(ref, signal), atMs };
  } catch (error) {
    if (isUnseen(error)) return { server: undefined, atMs };
    throw error;
  }
};

/** What a deleted server answers. A key that is refused, or a server that is locked, says nothing about its being there. */
const isUnseen = (error: unknown): boolean =>
  isKind(error, 'not-found') || (error instanceof FleetError && error.code === 'PermissionsDenied');

const refOf = ({ metadata, spec }: MacHost) => ({ zone: spec.source.scaleway?.zone ?? '', id: metadata.name });

interface Task {
  readonly host: MacHost;
  readonly plan: HostPlan;
  readonly look: Look | undefined;
  readonly context: ReconcileContext;
}

const carryOut = async (deps: HostDeps, task: Task): Promise<StepResult<MacHost>> => {
  const { host, plan } = task;
  const { cloud, settings } = deps.ports;
  switch (plan.do) {
    case 'rest':
      return stop(ready('True', REASONS.host.ready.ready));
    case 'wait':
      return wait(plan.afterMs, ready('False', REASONS.host.ready.notReady));
    case 'store':
      return wait(0, { spec: plan.spec });
    case 'report':
      return wait(settings.times.pollMs, ready('False', REASONS.host.serverFound.nameMismatch, plan.message));
    case 'prepare':
      return prepare(deps, task);
    case 'rename':
      await cloud.renameServer(refOf(host), plan.to, permitEffect(deps, task));
      return wait(0);
    case 'reinstall':
      return reinstall(deps, task, plan.osFamily);
    case 'delete-node':
      await deleteNode(deps, task);
      return wait(0);
    default:
      return unreachable(plan);
  }
};

const ready = (status: 'True' | 'False', reason: string, message = ''): Report<MacHost> => ({
  condition: { type: CONDITIONS.host.ready, status, reason, message },
});

/** Asked right before anything changes a server: still leading, and the look is not stale, nor will be when it is sent. */
const permitEffect = ({ ports }: HostDeps, { look, context }: Task): WriteCall => {
  context.permit();
  if (look !== undefined && ports.clock.elapsed() - look.atMs < LOOK_GOOD_FOR_MS) {
    return { signal: context.signal, sendBeforeMs: look.atMs + LOOK_GOOD_FOR_MS };
  }
  throw new FleetError('conflict', {
    code: 'LookTooOld',
    message: 'the server was looked at too long ago to act on it',
  });
};

const reinstall = async (deps: HostDeps, task: Task, osFamily: string): Promise<StepResult<MacHost>> => {
  const { ports } = deps;
  const { host, context } = task;
  if (!isQuiet(deps, task))
    return wait(WATCH_OPERATION_MS, ready('False', REASONS.host.ready.notReady, 'stopping its agent'));
  const image = await findImage(ports, host, { osFamily, signal: context.signal });
  const server = await ports.cloud.reinstallServer(refOf(host), image, permitEffect(deps, task));
  if (server.status !== 'reinstalling') return wait(ports.settings.times.pollMs);
  const accepted = acceptWipe({ spec: host.spec, nowMs: ports.clock.now() });
  return wait(0, accepted.do === 'store' ? { spec: accepted.spec } : {});
};

/** The newest image of the family; the default of the type when none is published any more: a retired image holds up no wipe. */
const findImage = async (
  { cloud, logger }: HostPorts,
  host: MacHost,
  { osFamily, signal }: { readonly osFamily: string; readonly signal: AbortSignal },
): Promise<string | undefined> => {
  const images = await cloud.listOsImages(refOf(host).zone, host.spec.type ?? '', signal);
  try {
    return chooseOsImage(images, osFamily).id;
  } catch (error) {
    if (!isKind(error, 'invalid')) throw error;
    logger.warn('No image of the family is published: wiping with the default one', {
      host: host.metadata.name,
      osFamily,
    });
    return undefined;
  }
};

/** Whether nothing of ours works on the Mac any more and its agent was asked to stop (R12). */
const isQuiet = ({ ports, operations, stops }: HostDeps, { host, look }: Task): boolean => {
  const uid = host.metadata.uid ?? '';
  if (operations.state(uid)?.state === 'running' || look?.server === undefined) return false;
  if (host.spec.hostKey === undefined) return true;
  return stops.ensure(uid, stopAgent({ ports, host, server: look.server })).state !== 'running';
};

/** A Node that came back while its Mac was being wiped (R14). */
const deleteNode = async ({ caches }: HostDeps, { host, context }: Task): Promise<void> => {
  const node = nodeOf(caches, host);
  if (node?.metadata.uid === undefined) return;
  const preconditions = { uid: node.metadata.uid };
  await context.kube
    .delete(NODES, { name: node.metadata.name }, { preconditions, signal: context.signal })
    .catch((error) => {
      if (!isKind(error, 'not-found')) throw error;
    });
};

/** Host key first, then an epoch of our own, then the bootstrap, then the Node. Failures are paced by a stored time. */
const prepare = async (deps: HostDeps, task: Task): Promise<StepResult<MacHost>> => {
  const { ports, operations } = deps;
  const { host, look } = task;
  const uid = host.metadata.uid ?? '';
  const nowMs = ports.clock.now();
  const state = operations.state(uid);
  if (state?.state === 'failed') return failedAttempt(deps, host, state.error);
  if (state?.state === 'running') return wait(WATCH_OPERATION_MS, progressOf(ports, host, state));
  if (state?.state === 'succeeded') return ended(deps, host, state.result);
  const notBeforeMs = parseTimestamp(host.spec.budgets.bootstrap.nextAttemptAt) ?? 0;
  if (notBeforeMs > nowMs)
    return wait(notBeforeMs - nowMs, ready('False', REASONS.machine.bootstrapped.bootstrapFailed));
  if (look?.server === undefined) return wait(ports.settings.times.pollMs);
  const job = { ports, host, server: look.server };
  if (host.spec.hostKey === undefined) {
    permitEffect(deps, task);
    operations.ensure(uid, lookAtHostKey(job));
    return wait(WATCH_OPERATION_MS);
  }
  if (deps.raisedEpochs.get(uid) !== host.spec.epoch) {
    deps.raisedEpochs.set(uid, host.spec.epoch + 1);
    return wait(0, { spec: { epoch: host.spec.epoch + 1 } });
  }
  permitEffect(deps, task);
  operations.ensure(uid, bootstrapHost(job));
  return wait(WATCH_OPERATION_MS, ready('False', REASONS.host.ready.notReady, 'bootstrapping'));
};

const progressOf = (
  { settings }: HostPorts,
  { spec }: MacHost,
  state: { readonly sinceMs: number; readonly progress?: BootstrapProgress },
): Report<MacHost> => ({
  ...ready('False', REASONS.host.ready.notReady, 'bootstrapping'),
  status: {
    operation: {
      kind: 'bootstrap',
      epoch: spec.epoch,
      startedAt: toTimestamp(state.sinceMs),
      deadline: toTimestamp(state.sinceMs + settings.times.bootstrapTimeoutMs),
      ...(state.progress === undefined ? {} : { steps: state.progress.map((step) => ({ ...step })) }),
    },
  },
});

const ended = (deps: HostDeps, host: MacHost, result: BootstrapResult): StepResult<MacHost> => {
  const { clock, settings } = deps.ports;
  const uid = host.metadata.uid ?? '';
  if (result.kind === 'host-key') {
    deps.operations.forget(uid);
    return wait(0, { spec: { hostKey: { fingerprint: result.fingerprint, wipes: host.spec.wipes } } });
  }
  const leftMs = result.finishedAtMs + settings.times.nodeWaitMs - clock.now();
  if (leftMs > 0)
    return wait(leftMs, ready('False', REASONS.host.ready.notReady, 'bootstrapped, waiting for its Node'));
  return failedAttempt(deps, host, noNode(host));
};

const noNode = (host: MacHost): FleetError =>
  new FleetError('unavailable', {
    code: REASONS.machine.bootstrapped.nodeMissing,
    message: `no Node with providerID ${providerIdOf(host)} appeared after the bootstrap`,
  });

const failedAttempt = (deps: HostDeps, host: MacHost, error: FleetError): StepResult<MacHost> => {
  const { clock, random, settings } = deps.ports;
  const uid = host.metadata.uid ?? '';
  const { bootstrapBackoff } = settings.times;
  const { failures } = host.spec.budgets.bootstrap;
  const policy = { ...bootstrapBackoff, factor: 2, minMs: bootstrapBackoff.initialMs / 2 };
  const next = afterFailure({ attempts: failures, notBeforeMs: 0 }, clock.now(), { policy, random });
  deps.operations.forget(uid);
  deps.raisedEpochs.delete(uid);
  return wait(0, {
    spec: {
      budgets: {
        ...host.spec.budgets,
        bootstrap: { failures: next.attempts, nextAttemptAt: toTimestamp(next.notBeforeMs + 999) },
      },
    },
    ...ready('False', error.code, error.message),
    events: [{ type: 'Warning', reason: REASONS.machine.bootstrapped.bootstrapFailed, message: error.message }],
  });
};
