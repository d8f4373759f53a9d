/** The judges of the VMs that the Macs of a simulated fleet run, where they run any: S22–S28 after every event, L7–L9 and L11 at the end. */
import { parseTimestamp } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import { parseProviderId } from '../../kinds/names.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { holdsFinalizer, isOver } from '../../kubelet/pods/plan-pod.ts';
import { parseVmName } from '../../kubelet/pods/vm-name.ts';
import { createFleetKubeletJury } from '../fleet-kubelet-jury.ts';
import type { FleetWorld } from '../fleet-world.ts';
import type { Finding } from './properties/memory.ts';
import type { PropertyId } from './truth.ts';

/** What a broken network does late comes after two minutes; streams too, with a watch that has to be opened anew. */
const IN_FLIGHT_MS = 250_000;

export interface VmCourt {
  afterEvent(): void;
  judgeQuiet(): void;
}

/** Undefined where Macs run no VMs. */
export const createVmCourt = (
  world: FleetWorld,
  add: (property: PropertyId, message: string) => void,
): VmCourt | undefined => {
  if (world.kubelets === undefined) return undefined;
  const check = createFleetKubeletJury(world, { inFlightMs: IN_FLIGHT_MS });
  return {
    afterEvent: () => {
      try {
        check();
      } catch (thrown) {
        const { details, message } = toFleetError(thrown);
        add(parsePromise(details?.['promise']), message);
      }
    },
    judgeQuiet: () => {
      for (const { property, message } of judgeVms(world)) add(property, message);
    },
  };
};

/** A judge that fails is a defect of the simulation. */
const parsePromise = (promise: unknown): PropertyId => VM_PROMISES.find((known) => known === promise) ?? 'S0';

const VM_PROMISES: readonly PropertyId[] = ['S22', 'S23', 'S24', 'S25', 'S26', 'S27', 'S28'];

/** What is asked for is done within this, once nobody troubles anybody. */
const SETTLED_MS = 3_600_000;

interface Place {
  readonly pod: Pod;
  /** The Mac has power and an agent. */
  readonly isAlive: boolean;
}

const judgeVms = (world: FleetWorld): readonly Finding[] => {
  const nowMs = world.kernel.actor('world').clock.now();
  const isOld = (time: string | undefined): boolean => nowMs - (parseTimestamp(time) ?? nowMs) > SETTLED_MS;
  const nodes = world.operator.list(NODES);
  const pods = world.operator.list(PODS);
  const places = pods.map(
    (pod): Place => ({
      pod,
      isAlive: isAlive(
        world,
        nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName),
      ),
    }),
  );
  return [
    ...places
      .filter(({ pod: { metadata }, isAlive: is }) => is && isOld(metadata.deletionTimestamp))
      .map(({ pod }) => find('L7', `${pod.metadata.name} is deleted since ${pod.metadata.deletionTimestamp}`)),
    ...straysOf(world, pods).map((vm) => find('L8', `${vm} is there, and no Pod of that UID`)),
    ...places
      .filter(({ pod, isAlive: is }) => is && isOld(pod.metadata.creationTimestamp) && !isAnswered(pod))
      .map(({ pod }) => find('L9', `${pod.metadata.name} neither runs nor says why: ${JSON.stringify(pod.status)}`)),
    ...nodes
      .filter((node) => isOld(node.metadata.creationTimestamp) && isReady(node) && macOf(world, node)?.isUp === false)
      .map(({ metadata }) => find('L11', `${metadata.name} is Ready, and its Mac is off`)),
  ];
};

const find = (property: PropertyId, message: string): Finding => ({ property, message });

const macOf = ({ cloud, macs }: FleetWorld, node: Node) => {
  const { serverId = '' } = parseProviderId(node.spec?.providerID ?? '') ?? {};
  return cloud.server(serverId) === undefined ? undefined : macs.mac(serverId).view();
};

/** Its agent works for this Node: it is told as Ready. */
const isAlive = (world: FleetWorld, node: Node | undefined): boolean =>
  node !== undefined && isReady(node) && macOf(world, node)?.agent?.nodeName === node.metadata.name;

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** VMs on Macs whose agent is a Node that is Ready. */
const straysOf = (world: FleetWorld, pods: readonly Pod[]): readonly string[] => {
  const uids = new Set(pods.filter(holdsFinalizer).map(({ metadata }) => metadata.uid));
  const ready = world.operator.list(NODES).filter((node) => isAlive(world, node));
  return [...(world.kubelets?.macs() ?? [])]
    .filter(([serverId]) => ready.some(({ spec }) => spec?.providerID?.endsWith(`/${serverId}`)))
    .flatMap(([, { home }]) => home.vmNames())
    .filter((vm) => parseVmName(vm) !== undefined && !uids.has(parseVmName(vm)));
};

/** It runs, is over, or says what it waits for. */
const isAnswered = (pod: Pod): boolean => {
  if (isOver(pod) || pod.metadata.deletionTimestamp !== undefined) return true;
  const { running, waiting } = pod.status?.containerStatuses?.[0]?.state ?? {};
  return running !== undefined || (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating');
};
