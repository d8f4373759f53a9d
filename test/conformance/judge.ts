/** The results of a suite held against the list of differences, and the list as a page shows it. Pure. */
import type { Area, ConformanceCase } from './case.ts';
import type { Difference } from './differences.ts';
import type { CaseResult } from './run-suite.ts';

/** Nothing differs here, and nothing may. */
const STRICT_AREAS: ReadonlySet<Area> = new Set(['verbs', 'patch', 'watch']);

export interface Judgement {
  readonly id: string;
  readonly findings: readonly string[];
}

/** One per case, with what speaks against it. A case on the list must fail: a difference that is gone is taken off. */
export const judgeEmbedded = (
  results: readonly CaseResult[],
  differences: readonly Difference[],
): readonly Judgement[] => {
  const known = new Set(differences.map(({ id }) => id));
  return results.map(({ row: { id, area }, findings }) => {
    if (!known.has(id)) return { id, findings };
    if (STRICT_AREAS.has(area))
      return { id, findings: [`${area} may not differ: take it off differences.ts`, ...findings] };
    return { id, findings: findings.length === 0 ? ['no longer differs: take it off differences.ts'] : [] };
  });
};

const toCell = (text: string): string => text.replaceAll('|', '\\|');

const DIFFERENCES_BEGIN = '<!-- differences: written by "npm run conformance -- --write" -->';
const DIFFERENCES_END = '<!-- end of differences -->';

/** The list as a table for docs/control-plane.md, with its markers. */
export const renderDifferences = (cases: readonly ConformanceCase[], differences: readonly Difference[]): string => {
  const clauses = new Map(cases.map(({ id, clause }) => [id, clause]));
  const rows = differences.map(
    ({ id, embedded, reason }) =>
      `| ${toCell(clauses.get(id) ?? '?')} | \`${id}\` | ${toCell(embedded)} | ${toCell(reason)} |`,
  );
  const count = `${cases.length} cases, ${differences.length} differences.`;
  const table = ['| clause | case | here | why |', '|---|---|---|---|', ...rows].join('\n');
  return `${DIFFERENCES_BEGIN}\n\n${count}\n\n${differences.length === 0 ? '' : `${table}\n\n`}${DIFFERENCES_END}`;
};

/** The page with its table as it must be. */
export const withDifferences = (page: string, rendered: string): string => {
  const begin = page.indexOf(DIFFERENCES_BEGIN);
  const end = page.indexOf(DIFFERENCES_END);
  if (begin < 0 || end < begin) throw new Error('docs/control-plane.md has lost the markers of its differences');
  return page.slice(0, begin) + rendered + page.slice(end + DIFFERENCES_END.length);
};
