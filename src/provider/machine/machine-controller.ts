/**
 * Cluster API's infrastructure machine: chooses a Mac, claims it, waits until it has joined, tells core; and when it is
 * deleted asks for the Mac's release and goes at once: nobody waits for a wipe (R11, 002-5).
 */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { FINALIZERS } from '../../kinds/labels.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import { parseMachine, type ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
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
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { clusterOf, isPaused, reportPause } from '../cluster/pause.ts';
import { machinesOf, membersOf, type ProviderCaches, providerIdOf } from '../host/host-caches.ts';
import { hostStateOf } from '../host/host-life.ts';
import type { HostPorts } from '../host/ports.ts';
import { chooseHost } from './choose-host.ts';
import { findHost, patchHost } from './host-record.ts';
import { judgeHost } from './judge-host.ts';
import { releaseHost } from './release-host.ts';
import { askForReplacement } from './replace-machine.ts';
import { isFailureCleared, rollStatusOf } from './roll-status.ts';

export interface MachineDeps {
  readonly ports: Pick<HostPorts, 'clock' | 'ids' | 'settings'>;
  readonly caches: ProviderCaches;
  readonly events: EventRecorder;
}

type Machine = ScalewayAppleSiliconMachine;
type Result = StepResult<Machine>;

const { provisioned } = REASONS.machine;

export const createMachineController = (deps: MachineDeps): Controller => {
  const { caches, events } = deps;
  return createController({
    name: 'scalewayapplesiliconmachines.lifecycle',
    watches: [
      watchPrimary(caches.machines),
      watchMapped(caches.hosts, (change) =>
        concernedBy(caches, change.type === 'deleted' ? change.old : change.object),
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
      read: parseMachine,
      gate: async (machine) => gate(caches, machine),
      up: [
        {
          name: 'go-on',
          condition: CONDITIONS.machine.paused,
          run: async () => done({ condition: reportPause('False') }),
        },
        step('judge', (machine, context) => judge(deps, machine, context)),
        step('choose', async (machine) => choose(deps, machine)),
        step('claim', (machine, context) => claim(deps, machine, context)),
        step('join', (machine, context) => join(deps, machine, context)),
      ],
      down: [step('release', (machine, context) => releaseHost(deps, machine, context))],
      summary: { type: CONDITIONS.machine.ready, of: [CONDITIONS.machine.provisioned] },
    }),
  });
};

const step = (name: string, run: Step<Machine>['run']): Step<Machine> => ({
  name,
  condition: CONDITIONS.machine.provisioned,
  run,
});

/** A host that became free concerns everybody who waits for one; any other change concerns whoever has the host. */
const concernedBy = ({ machines }: ProviderCaches, host: MacHost): readonly string[] => {
  if (host.spec.claimRef !== undefined) return machinesOf({ machines }, host);
  return machines
    .list()
    .filter(({ status }) => !status?.serverID || status.serverID === host.metadata.name)
    .map((machine) => renderKey(keyOf(machine)));
};

/** Paused freezes everything but deletion; without its owners there is nothing to work for yet (001-2, F77). */
const gate = (caches: MachineDeps['caches'], machine: Machine): Result | undefined => {
  const { metadata } = machine;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const isOwned = metadata.ownerReferences?.some(({ kind }) => kind === 'Machine') ?? false;
  if (!isOwned || clusterOf(caches.clusters, machine) === undefined)
    return stop<Machine>(
      notYet(provisioned.waitingForCluster, 'The Machine or the Cluster behind this object is not there yet.'),
    );
  return isPaused(caches.clusters, machine) ? stop<Machine>({ condition: reportPause('True') }) : undefined;
};

const notYet = (reason: string, message: string): Report<Machine> => ({
  condition: { type: CONDITIONS.machine.provisioned, status: 'False', reason, message },
});

/** A Mac that was lost is let go before anything else. */
const judge = async ({ ports, caches }: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const judgement = judgeHost(machine, caches.hosts.get(machine.status?.serverID ?? ''));
  if (judgement.kind === 'fine') return done();
  const { message } = judgement;
  const lost = notYet(provisioned.hostReleased, message);
  const events = [{ type: 'Warning', reason: provisioned.hostReleased, message }] as const;
  if (judgement.kind === 'swap')
    return wait<Machine>(0, { ...lost, events, status: { serverID: undefined, phase: 'Pending' } });
  await askForReplacement(machine, { message, nowMs: ports.clock.now() }, context);
  const report = {
    type: CONDITIONS.machine.ready,
    status: 'False',
    reason: REASONS.machine.ready.notReady,
    message,
  } as const;
  return stop<Machine>({ condition: report, status: { ready: false, phase: 'Failed' } });
};

/** The choice is stored before the claim, so that a claim is never one that its machine does not know of (R5). */
const choose = ({ ports, caches }: MachineDeps, machine: Machine): Result => {
  if (machine.status?.serverID) return done();
  const others = caches.machines.list().filter(({ metadata }) => metadata.uid !== machine.metadata.uid);
  const choice = chooseHost({
    nowMs: ports.clock.now(),
    times: ports.settings.times,
    machine,
    hosts: caches.hosts.list(),
    taken: new Set(others.map(({ status }) => status?.serverID ?? '')),
    namesakes: others.filter(({ metadata }) => metadata.name === machine.metadata.name),
    poolPrefix: ports.settings.poolPrefix,
    poolNamespaces: ports.settings.poolNamespaces ?? new Map(),
    projectId: ports.settings.projectId,
  });
  if (choice.kind === 'none') {
    return wait<Machine>(ports.settings.times.quietMs, {
      ...notYet(choice.reason, choice.message),
      status: { phase: 'Pending' },
    });
  }
  const message = choice.kind === 'known' ? `Has claimed ${choice.serverId}.` : `Claiming ${choice.serverId}.`;
  return wait<Machine>(0, {
    ...notYet(provisioned.noAvailableHost, message),
    status: { serverID: choice.serverId, phase: 'Adopting' },
  });
};

/** Compare-and-set on the host, read live: of two machines one gets it, the other chooses again. */
const claim = async ({ ports, caches }: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const { name, namespace = '', uid = '' } = machine.metadata;
  const serverId = machine.status?.serverID ?? '';
  if (caches.hosts.get(serverId)?.spec.claimRef?.uid === uid) return done();
  const host = await findHost(serverId, context);
  if (host?.spec.claimRef?.uid === uid) return done();
  // The inventory makes a record that was lost, and knows by the providerID whose it is (R17).
  if (host === undefined && machine.spec.providerID) return wait<Machine>(ports.settings.times.pollMs);
  const isFirst = isFirstOf(caches.machines.byIndex('server', serverId), machine);
  if (host === undefined || hostStateOf(host.spec, 'absent') !== 'free' || !isFirst) {
    const reason = isFirst ? provisioned.noAvailableHost : provisioned.duplicateClaim;
    return wait<Machine>(0, {
      ...notYet(reason, 'The host went to another machine, or is not free any more.'),
      status: { serverID: undefined, phase: 'Pending' },
    });
  }
  const fleet = machine.spec.fleetName ?? `${namespace}-${name}`;
  await patchHost(host, { claimRef: { namespace, name, uid }, fleet }, context);
  return wait<Machine>(ports.settings.times.pollMs, notYet(provisioned.noAvailableHost, `Claimed ${serverId}.`));
};

/** Of several machines that chose the same free host at once, the one with the lowest UID keeps it; all agree on that. */
const isFirstOf = (rivals: readonly Machine[], { metadata }: Machine): boolean =>
  rivals.every((rival) => (rival.metadata.uid ?? '') >= (metadata.uid ?? ''));

const NEW_ATTEMPTS = { failures: 0, lastFailureAt: null, failedHash: null };

/** providerID and provisioned are set together, once the Mac has joined (R22). */
const join = async ({ ports, caches }: MachineDeps, machine: Machine, context: ReconcileContext): Promise<Result> => {
  const host = caches.hosts.get(machine.status?.serverID ?? '');
  const state = host?.status?.state;
  if (host === undefined || (state !== 'joined' && machine.status?.initialization?.provisioned !== true)) {
    const message = host?.status?.conditions?.find(({ type }) => type === CONDITIONS.host.ready)?.message;
    return stop<Machine>({
      ...notYet(
        REASONS.machine.ready.notReady,
        `The host is ${state ?? 'not on record'}${message ? `: ${message}` : ''}.`,
      ),
      status: { phase: 'Bootstrapping' },
    });
  }
  if (isFailureCleared(machine, host)) await patchHost(host, { budgets: { roll: NEW_ATTEMPTS } }, context);
  const address = host.status?.server?.address;
  return done<Machine>({
    spec: { providerID: providerIdOf(host) },
    status: {
      initialization: { provisioned: true },
      ready: true,
      ...rollStatusOf(host, ports.settings.roll),
      ...(address === undefined ? {} : { addresses: [{ type: 'ExternalIP', address }] }),
      ...(host.spec.source.scaleway === undefined ? {} : { failureDomain: host.spec.source.scaleway.zone }),
    },
    condition: { type: CONDITIONS.machine.provisioned, status: 'True', reason: provisioned.provisioned, message: '' },
  });
};
