/**
 * Macs that looked free to a machine and were not when it came to claim them: what is in the cache was behind, or ahead of an
 * etcd that somebody restored. Such a Mac is not chosen again on the same sight of it, or choosing and letting go would follow
 * each other as fast as the API server answers.
 */
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';

export interface RefusedHosts {
  /** As it was in the cache when the claim was refused. */
  note(machine: ScalewayAppleSiliconMachine, host: MacHost): void;
  /** Whether this very sight of it has misled the machine before. */
  has(machine: ScalewayAppleSiliconMachine, host: MacHost): boolean;
  /** It has a Mac, or wants none any more. */
  forget(machine: ScalewayAppleSiliconMachine): void;
}

export const createRefusedHosts = (): RefusedHosts => {
  const sights = new Map<string, Map<string, string | undefined>>();
  return {
    note: ({ metadata: { uid = '' } }, host) => {
      const known = sights.get(uid) ?? new Map<string, string | undefined>();
      sights.set(uid, known.set(host.metadata.name, host.metadata.resourceVersion));
    },
    has: ({ metadata: { uid = '' } }, { metadata: { name, resourceVersion } }) => {
      const known = sights.get(uid);
      return known?.has(name) === true && known.get(name) === resourceVersion;
    },
    forget: ({ metadata: { uid = '' } }) => void sights.delete(uid),
  };
};
