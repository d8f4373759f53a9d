/** Pods that were deleted and do not go (003-4: 504 of them, once; I-45). */
import { parseTimestamp } from '../../../base/clock.ts';
import { FINALIZERS } from '../../../kinds/labels.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { isForMacs, isMac } from '../../fleet/on-macs.ts';
import { renderSpan } from '../../show/age.ts';
import { type AuditRule, groupBy, renderSome } from '../finding.ts';

/** Beyond the grace that a Pod was given, which its deletionTimestamp has in it. */
const STUCK_AFTER_MS = 300_000;

export const stuckPods: AuditRule = {
  code: 'StuckPods',
  about: 'Pods of Macs that are being deleted for more than five minutes past their grace',
  why: 'They keep their names, their host ports and the count of their pool, so that nothing takes their place.',
  needs: ['pods', 'nodes'],
  judge: ({ pods, nodes }, { nowMs }) => {
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    const macs = new Set(nodes.filter(isMac).map(({ metadata }) => metadata.name));
    const stuck = pods.filter(
      (pod) => ageOf(pod, nowMs) > STUCK_AFTER_MS && (isForMacs(pod.spec, macs) || isHeldByUs(pod)),
    );
    return Array.from(groupBy(stuck, whereOf), ([where, group]) => {
      const [first] = group;
      const nodeName = first?.spec.nodeName ?? '';
      const finalizers = [...new Set(group.flatMap(({ metadata }) => metadata.finalizers ?? []))];
      const oldest = Math.max(...group.map((pod) => ageOf(pod, nowMs)));
      const held = finalizers.length === 0 ? 'without a finalizer' : `held by ${finalizers.join(', ')}`;
      return {
        severity: 'ticket',
        subject: group.length === 1 ? `pod/${first?.metadata.namespace}/${first?.metadata.name}` : `pods on ${where}`,
        what: `${countOf(group)} ${renderSome(group.map(({ metadata }) => metadata.name))} should be gone for ${renderSpan(oldest)}, ${held}`,
        wayOut: wayOut(group, { nodeName, isNodeThere: names.has(nodeName) ? 'yes' : 'no' }),
      };
    });
  },
};

const countOf = (group: readonly Pod[]): string => (group.length === 1 ? 'the Pod' : `${group.length} Pods,`);

const ageOf = ({ metadata }: Pod, nowMs: number): number =>
  nowMs - (parseTimestamp(metadata.deletionTimestamp) ?? Number.POSITIVE_INFINITY);

const isHeldByUs = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(FINALIZERS.pod) === true;

const whereOf = ({ metadata, spec }: Pod): string =>
  `${spec.nodeName === undefined || spec.nodeName === '' ? 'no Node' : spec.nodeName}, namespace ${metadata.namespace}`;

interface Where {
  readonly nodeName: string;
  readonly isNodeThere: 'yes' | 'no';
}

/** Only where the Node is gone may anybody but its agent take a finalizer off. */
const wayOut = (group: readonly Pod[], { nodeName, isNodeThere }: Where): readonly string[] => {
  if (isNodeThere === 'yes') {
    return [
      `The agent on ${nodeName} must remove the VM: see that it runs (kubectl get node ${nodeName}), and reboot the Mac if it hangs: macfleet reboot ${nodeName}`,
    ];
  }
  const { namespace = '' } = group[0]?.metadata ?? {};
  const some = group.length === 1 ? (group[0]?.metadata.name ?? '') : '<pod>';
  return [
    "Its Node is gone, and with it the agent that would have finished it. Macfleet's manager does so by itself once the Mac is wiped; by hand:",
    `kubectl -n ${namespace} patch pod ${some} --type=merge -p '{"metadata":{"finalizers":null}}'`,
  ];
};
