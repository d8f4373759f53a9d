/** What an audit finds, and the rules by which it does. A rule is a pure function over lists. */

import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import type { Node, Secret } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../kube/types/rbac.ts';
import type { Prices } from '../fleet/prices.ts';
import type { ListedServer } from './server-file.ts';

/** `page` costs work, money or safety now; `ticket` can wait until the morning. */
export type Severity = 'page' | 'ticket';

export interface Finding {
  /** Permanent; `macfleet explain <code>` says more. */
  readonly code: string;
  readonly severity: Severity;
  /** `node/mac-1`, `secret/ci/mac-1-bootstrap`. */
  readonly subject: string;
  readonly what: string;
  /** The way out: sentences, and commands to type. */
  readonly wayOut: readonly string[];
  readonly eurosPerMonth?: number;
}

/** Everything that rules look at. */
export interface AuditedFleet {
  readonly hosts: readonly MacHost[];
  readonly machines: readonly ScalewayAppleSiliconMachine[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly secrets: readonly Secret[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly leases: readonly Lease[];
  /** Of the file that `--servers` names; empty without one. */
  readonly servers: readonly ListedServer[];
}

export type AuditedKind = Exclude<keyof AuditedFleet, 'servers'>;

export interface AuditContext {
  readonly nowMs: number;
  readonly prices: Prices;
}

export interface AuditRule {
  readonly code: string;
  /** One line for `explain` and the page of codes. */
  readonly about: string;
  /** Why it matters. */
  readonly why: string;
  /** Without these lists it can say nothing. */
  readonly needs: readonly AuditedKind[];
  readonly judge: (fleet: AuditedFleet, context: AuditContext) => readonly Omit<Finding, 'code'>[];
}

/** Those with the same key, where there is one, in the order of their first. */
export const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string | undefined): ReadonlyMap<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined || key === '') continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

const SHOWN_MOST = 3;

/** `a, b, c and 501 more`. */
export const renderSome = (names: readonly string[]): string => {
  const shown = names.slice(0, SHOWN_MOST).join(', ');
  return names.length <= SHOWN_MOST ? shown : `${shown} and ${names.length - SHOWN_MOST} more`;
};
