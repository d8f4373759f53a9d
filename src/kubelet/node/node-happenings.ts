/** What a change of a Node's status means to people, as events. Pure. */
import type { EventReport } from '../../kube/controller/outcome.ts';
import type { Node } from '../../kube/types/core.ts';

type NodeStatus = NonNullable<Node['status']>;

export const findHappenings = (before: NodeStatus | undefined, after: NodeStatus): readonly EventReport[] => [
  ...findReboot(before?.nodeInfo?.bootID, after.nodeInfo?.bootID),
  ...(after.conditions ?? []).flatMap(({ type, status, reason, message }): readonly EventReport[] => {
    const earlier = before?.conditions?.find((condition) => condition.type === type);
    // Who else had to say that he does not know has told that himself.
    if (earlier === undefined || earlier.status === status || earlier.status === 'Unknown') return [];
    const isWell = type.endsWith('Pressure') ? status === 'False' : status === 'True';
    return [{ type: isWell ? 'Normal' : 'Warning', reason: reason ?? type, message: `${type}: ${message || status}` }];
  }),
];

/** VMs do not survive it: what ran is lost, and each Pod says so. */
const findReboot = (before = '', after = ''): readonly EventReport[] =>
  before === '' || after === '' || before === after
    ? []
    : [{ type: 'Warning', reason: 'Rebooted', message: `the Mac was started again, boot id: ${after}` }];
