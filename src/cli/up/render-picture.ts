/** A picture of a fleet as a calm table: no wider than the terminal, and of bounded height however large the fleet is. Pure. */
import { type Column, cutTo, renderTable } from '../show/table.ts';
import type { FleetPicture, JobRow, MacRow, PodRow } from './fleet-picture.ts';

/** Longer lists are cut, and it is said how much is not shown. */
const MACS_MAX = 12;
const PODS_MAX = 10;
const JOBS_MAX = 8;

/** Wide enough for the longest state, so that columns do not jump. */
const STATE_WIDTH = 'quarantined'.length;
const STEP_WIDTH = '10/10 agent-runtime'.length;

export const renderPicture = (picture: FleetPicture, columns = Number.POSITIVE_INFINITY): string => {
  const blocks = [renderMacs(picture), renderWork(picture), renderPods(picture), renderJobs(picture)];
  return blocks
    .filter((block) => block !== '')
    .join('\n\n')
    .split('\n')
    .map((line) => cutTo(line, columns))
    .join('\n');
};

export const renderSeconds = (ms: number | undefined): string =>
  ms === undefined ? '-' : `${(ms / 1_000).toFixed(1)}s`;

/** Whole seconds: what changes ten times a second is not calm. */
const age = (sinceMs: number | undefined, atMs: number): string =>
  sinceMs === undefined ? '-' : `${Math.max(Math.floor((atMs - sinceMs) / 1_000), 0)}s`;

const macColumns = (atMs: number): readonly Column<MacRow>[] => [
  { header: 'MAC', cell: ({ mac }) => mac },
  { header: 'STATE', cell: ({ state }) => state, least: STATE_WIDTH },
  { header: 'NODE', cell: ({ node }) => node, least: 'NotReady'.length },
  { header: 'STEP', cell: ({ step }) => (step === '' ? '-' : step), least: STEP_WIDTH },
  { header: 'FOR', cell: ({ sinceMs }) => age(sinceMs, atMs) },
  { header: 'PODS', cell: ({ pods }) => String(pods) },
  { header: 'FLEET', cell: ({ fleet }) => fleet },
  { header: 'WAITS FOR', cell: ({ waitsFor }) => waitsFor },
];

const renderMacs = ({ macs, atMs }: FleetPicture): string => {
  const table = renderTable(macColumns(atMs), macs.slice(0, MACS_MAX));
  return macs.length <= MACS_MAX ? table : `${table}\n${summarizeMacs(macs)}`;
};

const summarizeMacs = (macs: readonly MacRow[]): string => {
  const counts = Object.entries(Object.groupBy(macs, ({ state }) => state));
  return `… ${macs.length} Macs in all: ${counts.map(([state, found = []]) => `${found.length} ${state}`).join(', ')}`;
};

const renderWork = ({ work }: FleetPicture): string => work.map((row) => `${row.work} ${row.ready}`).join(' · ');

const podColumns = (atMs: number): readonly Column<PodRow>[] => [
  { header: 'POD', cell: ({ pod }) => pod },
  { header: 'STATE', cell: ({ state }) => state },
  { header: 'NODE', cell: ({ node }) => node },
  { header: 'FOR', cell: ({ sinceMs }) => age(sinceMs, atMs) },
  { header: 'WAITS FOR', cell: ({ waitsFor }) => waitsFor },
];

const renderPods = ({ pods, atMs }: FleetPicture): string => {
  const alive = pods.filter(({ state }) => state !== 'Succeeded' && state !== 'Failed');
  if (alive.length === 0) return '';
  const table = renderTable(podColumns(atMs), alive.slice(0, PODS_MAX));
  return alive.length <= PODS_MAX ? table : `${table}\n… ${alive.length} Pods in all`;
};

const JOB_COLUMNS: readonly Column<JobRow>[] = [
  { header: 'CI JOB', cell: ({ job }) => job },
  { header: 'STATE', cell: ({ state }) => state },
  { header: 'RUNNER', cell: ({ runner }) => runner },
  { header: 'WAITED', cell: ({ waitedMs }) => renderSeconds(waitedMs) },
  { header: 'RAN', cell: ({ ranMs }) => renderSeconds(ranMs) },
];

/** The latest that are not done first, then the latest that are. */
const renderJobs = ({ jobs }: FleetPicture): string => {
  if (jobs.length === 0) return '';
  const done = jobs.filter(({ state }) => state.startsWith('done'));
  const under = jobs.filter(({ state }) => !state.startsWith('done'));
  const shown = [...under.slice(0, JOBS_MAX), ...done.slice(-Math.max(JOBS_MAX - under.length, 0))].slice(0, JOBS_MAX);
  const rows = shown.toSorted((left, right) => Number(left.job) - Number(right.job));
  return `${renderTable(JOB_COLUMNS, rows)}\n${done.length} of ${jobs.length} CI jobs done`;
};
