/** Which Nodes are Macs, and which work is meant for them. Pure. */
import { LABEL_VALUES, LABELS, MACOS_TAINT } from '../../kinds/labels.ts';
import { parseProviderId } from '../../kinds/names.ts';
import type { Node } from '../../kube/types/core.ts';
import type { PodSpec } from '../../kube/types/pod.ts';

const OS = 'kubernetes.io/os';
const DARWIN = 'darwin';

export const isMac = ({ metadata, spec }: Node): boolean =>
  metadata.labels?.[LABELS.runtime] === LABEL_VALUES.runtimeTart ||
  metadata.labels?.[OS] === DARWIN ||
  parseProviderId(spec?.providerID ?? '') !== undefined;

/** It runs on one of these Nodes, or could run on no other than a Mac. */
export const isForMacs = (spec: PodSpec, macNodes: ReadonlySet<string>): boolean => {
  if (spec.nodeName !== undefined && spec.nodeName !== '') return macNodes.has(spec.nodeName);
  const selector = spec.nodeSelector ?? {};
  return (
    selector[OS] === DARWIN ||
    selector[LABELS.fleet] !== undefined ||
    selector[LABELS.restrictedFleet] !== undefined ||
    (spec.tolerations ?? []).some(({ key }) => key === MACOS_TAINT.key)
  );
};

/** The server that a Node, or a machine, says it is. */
export const serverIdOf = (providerId: string | undefined): string | undefined =>
  parseProviderId(providerId ?? '')?.serverId;
