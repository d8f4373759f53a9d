/** The work behind `macfleet audit`. Reads, and nothing else. Loaded only when it runs. */
import { createHostIo, readRequired } from '../../kube/client/login/host-io.ts';
import type { ClusterFlags, OutputFlags } from '../cluster/cluster-flags.ts';
import { requireFleet } from '../cluster/fleet-missing.ts';
import { listKinds } from '../cluster/list-kinds.ts';
import { withCluster } from '../cluster/open-cluster.ts';
import { EndedWith } from '../ended-with.ts';
import { LIST_PRICES, type Prices } from '../fleet/prices.ts';
import type { CliIo } from '../io.ts';
import { lookOf } from '../show/look.ts';
import { print } from '../show/print.ts';
import { AUDITED_KINDS } from './audited-kinds.ts';
import { type AuditReport, judgeFleet } from './judge-fleet.ts';
import { renderAudit } from './render-audit.ts';
import { trimSecret } from './rules/secrets.ts';
import { parseServers } from './server-file.ts';

export interface AuditFlags extends ClusterFlags, OutputFlags {
  readonly price: Prices;
  readonly servers?: string;
}

export const runAudit = (flags: AuditFlags, io: CliIo): Promise<void> =>
  withCluster(flags, io, async ({ client, clock, source }) => {
    const servers = flags.servers === undefined ? [] : await readServers(flags.servers);
    const lists = await listKinds(AUDITED_KINDS, { client, signal: io.signal }, { secrets: trimSecret });
    requireFleet([lists.machines, lists.hosts], source);
    const prices = new Map([...LIST_PRICES, ...flags.price]);
    const report = judgeFleet(lists, servers, { nowMs: clock.now(), prices });
    const names = report.findings.map(({ code, subject }) => `${code} ${subject}`);
    const table = (shape: 'table' | 'wide'): string => renderAudit(report, { look: lookOf(io), shape });
    io.stdout(await print(flags.output, { data: report, names, table }));
    const exitCode = exitCodeOf(report);
    if (exitCode !== AUDIT_EXIT_CODES.nothing) throw new EndedWith(exitCode);
  });

/** What a script that calls it can rely on. */
const AUDIT_EXIT_CODES = { nothing: 0, found: 1, incomplete: 3 } as const;

const exitCodeOf = ({ findings, notJudged }: AuditReport): number => {
  if (findings.length > 0) return AUDIT_EXIT_CODES.found;
  return notJudged.length > 0 ? AUDIT_EXIT_CODES.incomplete : AUDIT_EXIT_CODES.nothing;
};

const readServers = async (file: string) => parseServers(await readRequired(createHostIo(), file), file);
