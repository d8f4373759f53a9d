/** `--audit-log` and what belongs to it, of both commands that start a control plane. The work is in open-audit-log.ts. */
import { Option } from 'commander';

export interface AuditFlags {
  readonly auditLog?: string;
  readonly auditReads?: boolean;
}

export const auditOptions = (): readonly Option[] => [
  new Option(
    '--audit-log <file>',
    'append a line of JSON there for each write to the API: who, what and when, in the form of kube-apiserver',
  ),
  new Option('--audit-reads', 'with --audit-log: for get, list and watch, too'),
];
