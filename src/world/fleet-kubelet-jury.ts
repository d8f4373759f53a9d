/** What must always hold of the VMs of a whole fleet: on each Mac what kubelet-jury.ts says, and a Pod has a VM on one Mac only. */
import { collectionOf } from '../controlplane/api/kinds/served-kind.ts';
import { NODES, type Node, PODS } from '../kube/types/core.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Pod } from '../kube/types/pod.ts';
import type { Resource } from '../kube/types/resource.ts';
import { parseVmName } from '../kubelet/pods/vm-name.ts';
import type { StepMac } from '../sim/tart/step/step-mac.ts';
import type { FleetWorld } from './fleet-world.ts';
import { broken, createKubeletJury, type JuryDeps, type KubeletJury } from './kubelet-jury.ts';

/** Throws when a promise is broken; to be called after every event. */
export const createFleetKubeletJury = (world: FleetWorld, late: Pick<JuryDeps, 'inFlightMs'> = {}): (() => void) => {
  const { clock } = world.kernel.actor('world');
  let juries = new WeakMap<StepMac, KubeletJury>();
  const excused = new Set<string>();
  const pods = heldUntilWritten(world, PODS, (items) => items);
  const nodes = heldUntilWritten(world, NODES, indexByName);
  // An older etcd knows other Pods, in other states: for the VMs that there are nobody is to blame.
  world.plane.onReopened((how) => {
    if (how !== 'restored') return;
    juries = new WeakMap();
    for (const mac of world.kubelets?.macs().values() ?? []) for (const uid of uidsOn(mac)) excused.add(uid);
  });
  const juryOf = (mac: StepMac, serverId: string): KubeletJury => {
    const isHere = ({ spec }: Pod): boolean => isNodeOf(serverId, nodes().get(spec.nodeName ?? ''));
    const jury = juries.get(mac) ?? createKubeletJury({ ...late, clock, mac, pods: () => pods().filter(isHere) });
    juries.set(mac, jury);
    return jury;
  };
  return () => {
    const places = new Map<string, string>();
    for (const [serverId, mac] of world.kubelets?.macs() ?? []) {
      const jury = juryOf(mac, serverId);
      for (const uid of uidsOn(mac)) {
        const elsewhere = places.get(uid);
        if (elsewhere !== undefined) throw broken('S23', `${uid} has a VM on ${elsewhere} and on ${serverId}`);
        places.set(uid, serverId);
        // The manager lets the Pods of a Mac go that is lost to its Node; a wipe takes the VM.
        const nodeName = pods().find(({ metadata }) => metadata.uid === uid)?.spec.nodeName ?? '';
        if (excused.has(uid) || !isNodeOf(serverId, nodes().get(nodeName))) jury.excuse(uid);
      }
      jury.check();
    }
  };
};

const uidsOn = ({ home }: StepMac): readonly string[] => home.vmNames().flatMap((vm) => parseVmName(vm) ?? []);

/** Asked after every event: read anew only when such an object was written. */
const heldUntilWritten = <T extends KubeObject, H>(
  { plane, operator }: FleetWorld,
  resource: Resource<T>,
  hold: (items: readonly T[]) => H,
): (() => H) => {
  let held: { readonly value: H } | undefined;
  const follow = (): void => {
    held = undefined;
    plane.store.subscribe(collectionOf(resource), () => {
      held = undefined;
    });
  };
  follow();
  plane.onReopened(follow);
  return () => {
    held ??= { value: hold(operator.list(resource)) };
    return held.value;
  };
};

const isNodeOf = (serverId: string, node: Node | undefined): boolean =>
  node?.spec?.providerID?.endsWith(`/${serverId}`) === true;

const indexByName = (nodes: readonly Node[]): ReadonlyMap<string, Node> =>
  new Map(nodes.map((node) => [node.metadata.name, node]));
