/**
 * A VM's name says whose it is and parses back: a Pod's UID is the VM's identity (design D10), so a Pod that comes again
 * under an old name gets a VM of its own. What does not parse is not ours and is never touched.
 */
import { createHash } from 'node:crypto';
import type { Pod } from '../../kube/types/pod.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const VM_NAME = new RegExp(`^pod-(?:[a-z0-9.-]+-)?(${UUID})$`);

/** With the prefix and the UID no more than 63 characters. */
const READABLE_MAX = 22;

export const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

export const vmNameOf = (pod: Pod): string =>
  `pod-${pod.metadata.name.slice(0, READABLE_MAX).replace(/[.-]+$/, '')}-${uidOf(pod)}`;

const LEGACY_MAX = 63;
const LEGACY_CUT = 54;

/** What the Go original called the VM of such a Pod: found on a Mac that is taken over, never given. */
export const legacyVmNameOf = ({ metadata: { namespace = 'default', name } }: Pod): string => {
  const plain = `${namespace}-${name}`;
  if (plain.length <= LEGACY_MAX) return plain;
  const hash = createHash('sha256').update(`${namespace}/${name}`).digest('hex');
  return `${plain.slice(0, LEGACY_CUT)}-${hash.slice(0, 8)}`;
};

/** The UID of the Pod that a VM of this name belongs to; undefined when it is not ours. */
export const parseVmName = (vm: string): string | undefined => VM_NAME.exec(vm)?.[1];
