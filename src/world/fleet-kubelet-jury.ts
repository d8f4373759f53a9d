/** What must always hold of the VMs of a whole fleet: on each Mac what kubelet-jury.ts says, and a Pod has a VM on one Mac only. */
import { FleetError } from '../base/errors.ts';
import { NODES, type Node, PODS } from '../kube/types/core.ts';
import type { Pod } from '../kube/types/pod.ts';
import { parseVmName } from '../kubelet/pods/vm-name.ts';
import type { StepMac } from '../sim/tart/step/step-mac.ts';
import type { FleetWorld } from './fleet-world.ts';
import { createKubeletJury, type KubeletJury } from './kubelet-jury.ts';

/** Throws when a promise is broken; to be called after every event. */
export const createFleetKubeletJury = (world: FleetWorld): (() => void) => {
  const { clock } = world.kernel.actor('world');
  const juries = new WeakMap<StepMac, KubeletJury>();
  const pods = heldUntilWritten(world, 'pods', () => world.operator.list(PODS));
  const nodes = heldUntilWritten(world, 'nodes', () => indexByName(world.operator.list(NODES)));
  const juryOf = (mac: StepMac, serverId: string): KubeletJury => {
    const isHere = ({ spec }: Pod): boolean =>
      nodes()
        .get(spec.nodeName ?? '')
        ?.spec?.providerID?.endsWith(`/${serverId}`) === true;
    const jury = juries.get(mac) ?? createKubeletJury({ clock, mac, pods: () => pods().filter(isHere) });
    juries.set(mac, jury);
    return jury;
  };
  return () => {
    const places = new Map<string, string>();
    for (const [serverId, mac] of world.kubelets?.macs() ?? []) {
      const jury = juryOf(mac, serverId);
      for (const uid of mac.home.vmNames().flatMap((vm) => parseVmName(vm) ?? [])) {
        const elsewhere = places.get(uid);
        if (elsewhere !== undefined) throw broken(`${uid} has a VM on ${elsewhere} and on ${serverId}`);
        places.set(uid, serverId);
        // The manager lets the Pods of a Mac go that is lost to its Node; a wipe takes the VM.
        const nodeName = pods().find(({ metadata }) => metadata.uid === uid)?.spec.nodeName;
        if (nodeName === undefined || !nodes().has(nodeName)) jury.excuse(uid);
      }
      jury.check();
    }
  };
};

/** Asked after every event: read anew only when an actor wrote such an object. */
const heldUntilWritten = <T>({ onWrite }: FleetWorld, kind: string, read: () => T): (() => T) => {
  let held: { readonly value: T } | undefined;
  onWrite(({ what }) => {
    if (what === kind) held = undefined;
  });
  return () => {
    held ??= { value: read() };
    return held.value;
  };
};

const indexByName = (nodes: readonly Node[]): ReadonlyMap<string, Node> =>
  new Map(nodes.map((node) => [node.metadata.name, node]));

const broken = (message: string): FleetError =>
  new FleetError('bug', { code: 'PromiseBroken', message: `S23: ${message}` });
