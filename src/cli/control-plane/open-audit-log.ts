/** The audit log that a person asked for with `--audit-log`. Loaded only when a control plane is started. */
import { FleetError } from '../../base/errors.ts';
import { openAuditFile } from '../../controlplane/audit/audit-file.ts';
import type { AuditLog } from '../../controlplane/audit/audit-log.ts';
import type { AuditFlags } from './audit-flags.ts';

export interface OpenedAuditLog {
  /** Absent where none was asked for. */
  readonly auditLog?: AuditLog;
  /** To be called when nothing is answered any more. */
  close(): Promise<void>;
}

/** To be called before anything else is done: what is wrong with it is told then. */
export const openAuditLog = async (flags: AuditFlags, say: (text: string) => void): Promise<OpenedAuditLog> => {
  const { auditLog: path, auditReads = false } = flags;
  if (path === undefined && auditReads) throw readsUnused();
  if (path === undefined) return { close: () => Promise.resolve() };
  if (path === '-') throw needsFile();
  const { write, close } = await openAuditFile({ path, say });
  return { auditLog: { covers: auditReads ? 'all' : 'writes', write }, close };
};

const readsUnused = (): FleetError =>
  new FleetError('invalid', {
    code: 'FlagHasNoUse',
    message: '--audit-reads would have no effect: it needs --audit-log',
    hint: 'Leave it out, or add what it needs.',
  });

/** Both commands speak to a person there, and a reader that stops reading would stop the API. */
const needsFile = (): FleetError =>
  new FleetError('invalid', {
    code: 'AuditLogNeedsFile',
    message: 'the audit log is not written to standard output, where this command says what a person is to know',
    hint: 'Name a file: `tail -f <file> | jq` shows it while it grows.',
  });
