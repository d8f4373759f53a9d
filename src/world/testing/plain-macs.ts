/** Macs for tests of the runners controller alone: Nodes whose Pods begin after a while, ask for jobs, and end. */
import { FINALIZERS, LABELS, MACOS_TAINT } from '../../kinds/labels.ts';
import { LEASES } from '../../kube/types/coordination.ts';
import { NODES, PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { createOperator } from '../operator.ts';
import type { PlainDispatcher } from './plain-dispatcher.ts';

interface Vm {
  readonly name: string;
  readonly begunMs: number;
  isUp: boolean;
  pollAtMs: number;
  /** With a job: when it is done. */
  doneAtMs: number | undefined;
}

const TICK_MS = 500;
const BOOT_MS = 2_000;
const POLL_MS = 2_000;
/** Of a world whose heartbeats are folded. */
const HEARTBEAT_MS = 600_000;

/** They are Nodes from now on, and their Pods run as long as the world does. */
export const startPlainMacs = (world: FleetWorld, dispatcher: PlainDispatcher, names: readonly string[]): void => {
  const vms = new Map<string, Vm>();
  for (const name of names) registerNode(world, name);
  const every = (ms: number, label: string, run: () => void): void => {
    run();
    world.kernel.schedule(ms, label, () => every(ms, label, run));
  };
  every(HEARTBEAT_MS, 'heartbeats', () => {
    for (const name of names) heartbeat(world, name);
  });
  let pods: readonly Pod[] = [];
  let seen = -1;
  every(TICK_MS, 'Macs', () => {
    if (seen !== world.store.revision) {
      seen = world.store.revision;
      pods = world.operator.listOwn(PODS).filter(({ spec }) => names.includes(spec.nodeName ?? ''));
      const uids = new Set(pods.map(({ metadata }) => metadata.uid ?? ''));
      // A Pod that vanished takes its VM along.
      for (const uid of vms.keys()) if (!uids.has(uid)) end({ world, dispatcher, vms }, uid);
    }
    for (const pod of pods) step({ world, dispatcher, vms }, pod);
  });
};

const registerNode = ({ operator }: FleetWorld, name: string): void => {
  const labels = { [LABELS.fleet]: 'm2', [LABELS.runtime]: 'tart', 'kubernetes.io/os': 'darwin' };
  operator.create('/api/v1/nodes', { metadata: { name, labels }, spec: { taints: [MACOS_TAINT] } });
  const amounts = { cpu: '8', memory: '16384Mi', pods: '3' };
  const conditions = [{ type: 'Ready', status: 'True' }];
  operator.mergeStatus(NODES, name, { status: { conditions, allocatable: amounts, capacity: amounts } });
};

const LEASE_PATH = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

const heartbeat = ({ operator, kernel, plane }: FleetWorld, name: string): void => {
  const nodeLeases = createOperator(plane.api, 'kube-node-lease');
  const renewTime = new Date(kernel.actor('world').clock.now()).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  const held = operator.list(LEASES).find(({ metadata }) => metadata.name === name);
  if (held === undefined) operator.create(LEASE_PATH, { metadata: { name }, spec });
  else nodeLeases.merge(LEASES, name, { spec });
};

interface Ground {
  readonly world: FleetWorld;
  readonly dispatcher: PlainDispatcher;
  readonly vms: Map<string, Vm>;
}

const end = ({ dispatcher, vms }: Ground, uid: string): void => {
  if (vms.delete(uid)) dispatcher.over(uid);
};

const step = (ground: Ground, pod: Pod): void => {
  const { world, vms } = ground;
  const { name, uid = '', deletionTimestamp, finalizers = [] } = pod.metadata;
  const nowMs = world.kernel.nowMs();
  const phase = pod.status?.phase;
  if (deletionTimestamp !== undefined) {
    end(ground, uid);
    if (finalizers.length > 0) world.operator.merge(PODS, name, { metadata: { finalizers: [] } });
    else world.operator.force(PODS, name);
    return;
  }
  if (phase === 'Succeeded' || phase === 'Failed') return;
  const vm = vms.get(uid);
  if (vm === undefined) {
    world.operator.merge(PODS, name, { metadata: { finalizers: [FINALIZERS.pod] } });
    vms.set(uid, { name, begunMs: nowMs, isUp: false, pollAtMs: 0, doneAtMs: undefined });
  } else if (!vm.isUp && nowMs >= vm.begunMs + BOOT_MS) {
    vm.isUp = true;
    tell(world, pod, 'Running', { running: { startedAt: toTime(world) } });
  } else if (vm.isUp) live(ground, pod, vm);
};

const live = (ground: Ground, pod: Pod, vm: Vm): void => {
  const { world, dispatcher } = ground;
  const { name, uid = '', labels = {} } = pod.metadata;
  const nowMs = world.kernel.nowMs();
  if (vm.doneAtMs !== undefined) {
    if (nowMs < vm.doneAtMs) return;
    const job = dispatcher.jobs.find(({ by, state }) => state === 'running' && by.includes(name));
    if (job !== undefined) {
      job.state = 'done';
      dispatcher.states.set(uid, 'finished');
    }
    if (dispatcher.guests === 'go-home') goHome(ground, pod);
    return;
  }
  if (nowMs < vm.pollAtMs || dispatcher.guests === 'mute') return;
  vm.pollAtMs = nowMs + POLL_MS;
  const answer = dispatcher.poll({ name, uid, labels });
  if (answer.is === 'go-home') goHome(ground, pod);
  if (answer.is === 'job') vm.doneAtMs = nowMs + answer.job.durationMs;
};

/** The VM powers itself off, and the agent tells. */
const goHome = (ground: Ground, pod: Pod): void => {
  end(ground, pod.metadata.uid ?? '');
  const finishedAt = toTime(ground.world);
  tell(ground.world, pod, 'Succeeded', { terminated: { exitCode: 0, reason: 'Completed', finishedAt } });
  ground.world.operator.merge(PODS, pod.metadata.name, { metadata: { finalizers: [] } });
};

const toTime = ({ kernel }: FleetWorld): string =>
  `${new Date(kernel.actor('world').clock.now()).toISOString().slice(0, 19)}Z`;

const tell = ({ operator }: FleetWorld, pod: Pod, phase: string, state: object): void => {
  const container = { name: 'runner', image: '', imageID: '', ready: phase === 'Running', restartCount: 0, state };
  operator.mergeStatus(PODS, pod.metadata.name, { status: { phase, containerStatuses: [container] } });
};
