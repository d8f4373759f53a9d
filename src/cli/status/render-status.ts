/** A fleet's state as a person reads it: a few lines of sums, the Macs, and what waits. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import { renderEuros } from '../fleet/prices.ts';
import { renderSince, renderSpan } from '../show/age.ts';
import { type Look, PLAIN, type Tone } from '../show/look.ts';
import { type Cell, type Column, cutTo, renderTable } from '../show/table.ts';
import type { FleetStatus, MacStatus } from './observe-status.ts';
import type { Wait } from './observe-waits.ts';

export interface RenderOptions {
  readonly nowMs: number;
  readonly look?: Look;
  readonly shape?: 'table' | 'wide';
}

export const renderStatus = (status: FleetStatus, { nowMs, look = PLAIN, shape = 'table' }: RenderOptions): string => {
  const wrap = (line: string): string => cutTo(line, look.columns ?? Number.POSITIVE_INFINITY);
  const sums = renderSums(status).map(wrap);
  const macs = status.macs.length === 0 ? [] : ['', renderTable(macColumns(nowMs), status.macs, { look, shape })];
  const waits =
    status.waits.length === 0
      ? ['', 'Nothing waits.']
      : ['', renderTable(waitColumns(nowMs), status.waits, { look, shape })];
  const notes = status.notes.flatMap((note) => ['', `${look.paint('warn', 'note:')} ${note}`]);
  return [...sums, ...macs, ...waits, ...notes].join('\n');
};

const renderSums = (status: FleetStatus): readonly string[] => {
  const { macs, machines, nodes, pods, jobs, runnerPools, cost } = status;
  const unpriced = cost.macsWithoutPrice === 0 ? '' : `, ${cost.macsWithoutPrice} without a price (--price)`;
  return [
    `Macs       ${macs.length === 0 ? 'none' : countStates(macs)}`,
    ...(macs.length === 0 ? [] : [`Cost       ${renderEuros(cost.eurosPerMonth)} per month${unpriced}`]),
    `Machines   ${machines.ready} of ${machines.total} ready`,
    `Nodes      ${nodes.ready} of ${nodes.total} ready`,
    `Pods       ${pods.running} running, ${pods.waiting} waiting, ${pods.total} in all`,
    ...jobs.map(({ name, done, wanted }) => `Job        ${name}: ${done} of ${wanted} done`),
    ...runnerPools.map(
      ({ name, wanted, running, busy }) => `Runners    ${name}: ${running} of ${wanted} running, ${busy} busy`,
    ),
  ];
};

const countStates = (macs: readonly MacStatus[]): string => {
  const counts = new Map<string, number>();
  for (const { state } of macs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
};

const TONES: Readonly<Record<string, Tone>> = {
  joined: 'good',
  ready: 'good',
  held: 'bad',
  quarantined: 'bad',
  failed: 'bad',
  free: 'dim',
};

const toned = (text: string, tone: Tone | undefined): Cell => (tone === undefined ? { text } : { text, tone });

const macColumns = (nowMs: number): readonly Column<MacStatus>[] => [
  { header: 'MAC', cell: ({ id }) => id },
  { header: 'STATE', cell: ({ state }) => toned(state, TONES[state]) },
  { header: 'SINCE', cell: ({ since }) => renderSince(since, nowMs), drop: 4 },
  { header: 'TYPE', cell: ({ type = '-' }) => type, drop: 9 },
  { header: 'POOL', cell: ({ pool = '-' }) => pool, only: 'wide', drop: 11 },
  { header: 'FLEET', cell: ({ fleet = '-' }) => fleet, only: 'wide', drop: 10 },
  { header: 'MACHINE', cell: ({ machine = '-' }) => machine, drop: 3 },
  { header: 'SERVER NAME', cell: ({ serverName = '-' }) => serverName, only: 'wide', drop: 13 },
  { header: 'ADDRESS', cell: ({ address = '-' }) => address, only: 'wide', drop: 12 },
  { header: 'NODE', cell: ({ node = '-' }) => toned(node, node === 'NotReady' ? 'bad' : undefined), drop: 2 },
  { header: 'PODS', cell: ({ podsRunning }) => String(podsRunning), drop: 6 },
  { header: 'LEASE', cell: ({ leaseUntil }) => renderLease(leaseUntil, nowMs), drop: 7 },
  {
    header: '€/MONTH',
    cell: ({ eurosPerMonth }) => (eurosPerMonth === undefined ? '?' : String(eurosPerMonth)),
    drop: 8,
  },
];

/** How long it is paid for whatever happens; afterwards its rent can end at any time. */
const renderLease = (until: string | undefined, nowMs: number): string => {
  const atMs = parseTimestamp(until);
  if (atMs === undefined) return '-';
  return atMs > nowMs ? `${renderSpan(atMs - nowMs)} left` : 'over';
};

const waitColumns = (nowMs: number): readonly Column<Wait>[] => [
  { header: 'WAITS', cell: ({ kind, name }) => `${kind}/${name}` },
  { header: 'SINCE', cell: ({ since }) => renderSince(since, nowMs), drop: 1 },
  { header: 'FOR', cell: ({ why }) => why },
];
