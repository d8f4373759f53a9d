/**
 * Who is woken when a Mac becomes free: one machine of those that wait for such a one, in the order in which they came, and
 * for the next Mac the next machine. Waking all would cost as many passes as there are Macs times machines. Nobody depends
 * on it alone: who waits looks again by itself.
 */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { isPaused } from '../cluster/pause.ts';
import { machinesOf, type ProviderCaches } from '../host/host-caches.ts';
import type { HostPorts } from '../host/ports.ts';
import { isOnOffer, suits } from './choose-host.ts';

type Machine = ScalewayAppleSiliconMachine;

export interface HandOut {
  /** The keys of the machines that a change of this host concerns: whoever has it or names it, or who may take it. */
  concernedBy(host: MacHost): readonly string[];
  /** The machine has looked for a Mac, or is gone: from now on another one may wake it. */
  hasLooked(machine: Machine): void;
}

export const createHandOut = (
  { clock, settings }: Pick<HostPorts, 'clock' | 'settings'>,
  { machines, clusters }: Pick<ProviderCaches, 'machines' | 'clusters'>,
): HandOut => {
  /** Woken for a Mac, and has not looked yet. */
  const woken = new Set<string>();
  const mayTake = (machine: Machine, host: MacHost): boolean =>
    !woken.has(renderKey(keyOf(machine))) &&
    isWaiting(machine) &&
    suits(host, machine, settings) &&
    !isPaused(clusters, machine);
  return {
    concernedBy: (host) => {
      const concerned = machinesOf({ machines }, host);
      if (concerned.length > 0 || !isOnOffer(host, { nowMs: clock.now(), times: settings.times })) return concerned;
      const next = machines.list().find((machine) => mayTake(machine, host));
      if (next === undefined) return [];
      const key = renderKey(keyOf(next));
      woken.add(key);
      return [key];
    },
    hasLooked: (machine) => void woken.delete(renderKey(keyOf(machine))),
  };
};

/** What no free Mac helps: another change wakes such a machine. */
const REFUSALS: readonly string[] = [
  REASONS.machine.provisioned.nameTaken,
  REASONS.machine.provisioned.poolNotAllowed,
  REASONS.machine.provisioned.prefixesOverlap,
  REASONS.machine.provisioned.waitingForCluster,
];

const isWaiting = ({ metadata, spec, status }: Machine): boolean => {
  if (status?.serverID || spec.providerID || spec.acquire === 'order') return false;
  const told = status?.conditions?.find(({ type }) => type === CONDITIONS.machine.provisioned)?.reason ?? '';
  return metadata.deletionTimestamp === undefined && !REFUSALS.includes(told);
};
