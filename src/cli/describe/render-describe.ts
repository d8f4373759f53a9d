/** One object for a person: what it is, what it waits for, and its timeline. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import { renderSpan } from '../show/age.ts';
import { type Look, PLAIN } from '../show/look.ts';
import { type Column, renderTable } from '../show/table.ts';
import { wrapText } from '../show/wrap.ts';
import type { Moment } from './timeline.ts';

export interface Description {
  readonly subject: string;
  readonly facts: readonly (readonly [string, string | undefined])[];
  readonly timeline: readonly Moment[];
  readonly notes: readonly string[];
}

export interface RenderOptions {
  readonly nowMs: number;
  readonly look?: Look;
  readonly shape?: 'table' | 'wide';
}

export const renderDescription = (
  { subject, facts, timeline, notes }: Description,
  { nowMs, look = PLAIN, shape = 'table' }: RenderOptions,
): string => {
  const known = facts.filter((fact): fact is readonly [string, string] => (fact[1] ?? '') !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return [
    look.paint('strong', subject),
    ...known.flatMap(([name, value]) => wrapText(`${name.padEnd(width)}  ${value}`, { indent: 2, look })),
    '',
    timeline.length === 0 ? 'Nothing is told of it.' : renderTable(columnsAt(nowMs), timeline, { look, shape }),
    ...notes.flatMap((note) => ['', `${look.paint('warn', 'note:')} ${note}`]),
  ].join('\n');
};

/** Of a story that is longer than this its latest part, so that it can be followed on a terminal. */
export const cutEarlier = (description: Description, rowsMax: number): Description => {
  const { facts, timeline, notes } = description;
  const room = Math.max(rowsMax - facts.length - 2 * notes.length - FRAME_ROWS, LATEST_LEAST);
  const left = timeline.length - room;
  if (left <= 0) return description;
  const note = `${left} earlier lines are not shown; without --watch they are.`;
  return { ...description, timeline: timeline.slice(left), notes: [...notes, note] };
};

/** The subject, an empty line, the header, and a note. */
const FRAME_ROWS = 6;
const LATEST_LEAST = 3;

const columnsAt = (nowMs: number): readonly Column<Moment>[] => [
  { header: 'TIME (UTC)', cell: ({ at }) => at.slice(0, 19).replace('T', ' '), drop: 2 },
  { header: 'AGO', cell: ({ at }) => renderAgo(at, nowMs) },
  { header: 'WHO', cell: ({ who }) => shorten(who), drop: 3 },
  { header: 'FROM', cell: ({ from }) => ({ text: from, tone: 'dim' }), drop: 4 },
  {
    header: 'WHAT',
    cell: ({ what }) => {
      const text = what.replaceAll(/\s+/g, ' ');
      return TROUBLE.test(text) ? { text, tone: 'bad' } : { text };
    },
  },
];

/** The first digits of an id tell Macs apart, and are enough to name one. */
const shorten = (who: string): string => who.replace(/([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}$/, '$1');

const TROUBLE = /^warning |\bfailed\b|^held|^quarantined/;

/** What is still to come is written `in 3h`. */
const renderAgo = (at: string, nowMs: number): string => {
  const spanMs = nowMs - (parseTimestamp(at) ?? nowMs);
  return spanMs < 0 ? `in ${renderSpan(-spanMs)}` : renderSpan(spanMs);
};
