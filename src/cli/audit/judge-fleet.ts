/** From lists to findings: every rule that has what it needs says what it sees. Pure. */
import { itemsOf, type Lists } from '../cluster/list-kinds.ts';
import { AUDIT_RULES } from './all-rules.ts';
import type { AUDITED_KINDS } from './audited-kinds.ts';
import type { AuditContext, AuditedFleet, AuditedKind, Finding } from './finding.ts';
import type { ListedServer } from './server-file.ts';

export type AuditLists = Lists<typeof AUDITED_KINDS>;

export interface AuditReport {
  readonly findings: readonly Finding[];
  /** Rules that could not be applied, and why. */
  readonly notJudged: readonly { readonly code: string; readonly because: string }[];
  readonly eurosPerMonth: number;
}

export const judgeFleet = (lists: AuditLists, servers: readonly ListedServer[], context: AuditContext): AuditReport => {
  const fleet = { ...fleetOf(lists), servers };
  const denied = (kind: AuditedKind): boolean => lists[kind].is === 'denied';
  const missing = AUDIT_RULES.flatMap(({ code, needs }) => {
    const kinds = needs.filter(denied);
    return kinds.length === 0 ? [] : [{ code, because: `this login may not list ${kinds.join(', ')}` }];
  });
  const findings = AUDIT_RULES.filter(({ needs }) => !needs.some(denied))
    .flatMap(({ code, judge }) => judge(fleet, context).map((found): Finding => ({ code, ...found })))
    .toSorted((left, right) => SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity));
  return { findings, notJudged: missing, eurosPerMonth: sumEuros(findings) };
};

const SEVERITIES = ['page', 'ticket'];

const sumEuros = (findings: readonly Finding[]): number =>
  findings.reduce((sum, { eurosPerMonth }) => sum + (eurosPerMonth ?? 0), 0);

/** A kind that the server does not have is one of which there is nothing. */
const fleetOf = (lists: AuditLists): Omit<AuditedFleet, 'servers'> => ({
  hosts: itemsOf(lists.hosts),
  machines: itemsOf(lists.machines),
  nodes: itemsOf(lists.nodes),
  pods: itemsOf(lists.pods),
  secrets: itemsOf(lists.secrets),
  clusterRoles: itemsOf(lists.clusterRoles),
  clusterRoleBindings: itemsOf(lists.clusterRoleBindings),
  leases: itemsOf(lists.leases),
});
