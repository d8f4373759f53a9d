/** Every rule of an audit, in the order in which their findings are told. */
import type { AuditRule } from './finding.ts';
import { tokensApprovedUnseen } from './rules/auto-approval.ts';
import { duplicateClaim, duplicateNode } from './rules/duplicate-claim.ts';
import { nodeOfAnotherMac, nodeWithoutProviderId } from './rules/nodes.ts';
import { endlessToken, sealedPassword } from './rules/secrets.ts';
import { stuckPods } from './rules/stuck-pods.ts';
import { twoLeaders } from './rules/two-leaders.ts';
import { nodeWithoutMachine, unknownServer, unownedHost } from './rules/unowned-hosts.ts';
import { macsMayTooMuch, managerReadsSecrets } from './rules/wide-rights.ts';

export const AUDIT_RULES: readonly AuditRule[] = [
  twoLeaders,
  duplicateClaim,
  duplicateNode,
  nodeWithoutProviderId,
  nodeOfAnotherMac,
  sealedPassword,
  unownedHost,
  nodeWithoutMachine,
  unknownServer,
  stuckPods,
  endlessToken,
  macsMayTooMuch,
  managerReadsSecrets,
  tokensApprovedUnseen,
];
