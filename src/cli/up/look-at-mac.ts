/** One line about a Mac, from its record, its Machine and its Node. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import { CONDITIONS } from '../../kinds/condition-reasons.ts';
import { LABELS } from '../../kinds/labels.ts';
import type { MacHost, MacHostStatus } from '../../kinds/mac-host.ts';
import type { Machine } from '../../kube/types/cluster-api.ts';
import type { Node } from '../../kube/types/core.ts';
import type { MacRow } from './fleet-picture.ts';
import { isReady } from './look-at-work.ts';

export interface MacSubject {
  readonly host: MacHost;
  readonly machine: Machine | undefined;
  readonly node: Node | undefined;
  readonly pods: number;
}

const ID_LENGTH = 8;

export const lookAtMac = ({ host, machine, node, pods }: MacSubject): MacRow => {
  const { metadata, status } = host;
  return {
    mac: metadata.name.slice(0, ID_LENGTH),
    fleet: machine?.metadata.labels?.[LABELS.fleet] ?? '-',
    state: status?.state ?? 'found',
    step: describeStep(status),
    sinceMs: parseTimestamp(status?.stateSince),
    waitsFor: describeWait(host),
    node: node === undefined ? '-' : isReady(node) ? 'Ready' : 'NotReady',
    pods,
  };
};

/** Of the operation that is under way. */
const describeStep = (status: MacHostStatus | undefined): string => {
  const { operation } = status ?? {};
  if (operation === undefined || operation.finishedAt !== undefined) return '';
  const steps = operation.steps ?? [];
  const done = steps.filter(({ state }) => state === 'done' || state === 'skipped').length;
  const under = steps.find(({ state }) => state === 'running') ?? steps.find(({ state }) => state === 'failed');
  return steps.length === 0 ? operation.kind : `${done}/${steps.length} ${under?.id ?? ''}`.trimEnd();
};

/** What its condition says, where it is not simply well. */
const describeWait = ({ spec, status }: MacHost): string => {
  const ready = status?.conditions?.find(({ type }) => type === CONDITIONS.host.ready);
  if (status?.state === 'free') return spec.claimRef === undefined ? '' : (ready?.message ?? '');
  return ready?.status === 'True' ? '' : (ready?.message ?? '');
};

/** The last part of a provider id, which names the server. */
export const serverIdOf = ({ spec }: Node): string => spec?.providerID?.split('/').at(-1) ?? '';
