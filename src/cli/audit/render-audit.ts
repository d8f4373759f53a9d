/** What an audit found, as a person reads it: what, why it matters, and the way out. Pure. */
import { renderEuros } from '../fleet/prices.ts';
import { type Look, PLAIN } from '../show/look.ts';
import { type Column, renderTable } from '../show/table.ts';
import { wrapText } from '../show/wrap.ts';
import { AUDIT_RULES } from './all-rules.ts';
import type { Finding } from './finding.ts';
import type { AuditReport } from './judge-fleet.ts';

export interface RenderOptions {
  readonly look?: Look;
  readonly shape?: 'table' | 'wide';
}

/** `table` is for reading: a paragraph each. `wide` is one line each. */
export const renderAudit = (report: AuditReport, { look = PLAIN, shape = 'table' }: RenderOptions = {}): string => {
  const { findings, notJudged } = report;
  const body = shape === 'wide' ? renderLines(findings, look) : findings.flatMap((found) => renderOne(found, look));
  const skipped = notJudged.map(({ code, because }) => `not judged: ${code}: ${because}`);
  return [...body, ...skipped.map((line) => look.paint('warn', line)), renderVerdict(report)].join('\n');
};

const renderOne = (found: Finding, look: Look): readonly string[] => {
  const { code, severity, subject, what, wayOut, eurosPerMonth } = found;
  const cost = eurosPerMonth === undefined ? '' : `, ${renderEuros(eurosPerMonth)} per month`;
  const tone = severity === 'page' ? 'bad' : 'warn';
  const why = AUDIT_RULES.find((rule) => rule.code === code)?.why ?? '';
  return [
    `${look.paint(tone, severity)} ${look.paint('strong', subject)}`,
    ...wrapText(`${what}${cost}.`, { indent: 2, look }),
    ...wrapText(`why: ${why}`, { indent: 2, look }).map((line) => look.paint('dim', line)),
    '  way out:',
    ...wayOut.flatMap((step) => wrapText(step, { indent: 4, look })),
    look.paint('dim', `  code: ${code}`),
    '',
  ];
};

const COLUMNS: readonly Column<Finding>[] = [
  { header: 'SEVERITY', cell: ({ severity }) => severity },
  { header: 'CODE', cell: ({ code }) => code },
  { header: 'SUBJECT', cell: ({ subject }) => subject },
  {
    header: '€/MONTH',
    cell: ({ eurosPerMonth }) => (eurosPerMonth === undefined ? '-' : String(eurosPerMonth)),
    drop: 1,
  },
  { header: 'WHAT', cell: ({ what }) => what },
];

const renderLines = (findings: readonly Finding[], look: Look): readonly string[] =>
  findings.length === 0 ? [] : [renderTable(COLUMNS, findings, { look, shape: 'wide' }), ''];

const renderVerdict = ({ findings, notJudged, eurosPerMonth }: AuditReport): string => {
  const open = notJudged.length === 0 ? '' : `; ${notJudged.length} rules could not be applied`;
  if (findings.length === 0) return `Nothing found${open}.`;
  const pages = findings.filter(({ severity }) => severity === 'page').length;
  const cost = eurosPerMonth === 0 ? '' : `, ${renderEuros(eurosPerMonth)} per month for Macs that work for nobody`;
  return `${findings.length} found, ${pages} of them urgent${cost}${open}.`;
};
