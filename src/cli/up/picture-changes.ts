/** What differs between two pictures of a fleet: what pipes and files get instead of tables. Times that merely pass are no change, and Pods have lines of their own. Pure. */
import type { FleetPicture } from './fleet-picture.ts';

export interface Change {
  readonly kind: 'mac' | 'work' | 'pod' | 'job';
  readonly name: string;
  /** Empty when it is gone. */
  readonly fields: Readonly<Record<string, string | number>>;
}

type Rows = ReadonlyMap<string, Change>;

export const findChanges = (before: FleetPicture | undefined, now: FleetPicture): readonly Change[] => {
  const known: Rows = before === undefined ? new Map() : rowsOf(before);
  const found = rowsOf(now);
  const changed = [...found].filter(([key, row]) => !isSame(known.get(key), row)).map(([, row]) => row);
  const gone = [...known].filter(([key]) => !found.has(key)).map(([, row]) => ({ ...row, fields: {} }));
  return [...changed, ...gone];
};

const isSame = (before: Change | undefined, now: Change): boolean =>
  before !== undefined && JSON.stringify(before.fields) === JSON.stringify(now.fields);

const rowsOf = ({ macs, work, pods, jobs }: FleetPicture): Rows => {
  const rows: readonly Change[] = [
    ...macs.map(({ mac, fleet, state, step, waitsFor, node }) => ({
      ...{ kind: 'mac' as const, name: mac, fields: { state, step, fleet, node, waitsFor } },
    })),
    ...work.map(({ work: name, ready }) => ({ kind: 'work' as const, name, fields: { ready } })),
    ...pods.map(({ pod, state, node, waitsFor }) => ({
      ...{ kind: 'pod' as const, name: pod, fields: { state, node, waitsFor } },
    })),
    ...jobs.map(({ job, state, runner }) => ({ kind: 'job' as const, name: job, fields: { state, runner } })),
  ];
  return new Map(rows.map((row) => [`${row.kind} ${row.name}`, row]));
};

/** `mac 68083f97  joined  fleet=macos node=Ready`. */
export const renderChange = ({ kind, name, fields }: Change): string => {
  const { state, ready, waitsFor, ...others } = fields;
  const main = state ?? ready ?? 'gone';
  const rest = Object.entries(others).filter(([, value]) => value !== '' && value !== '-');
  const waits = waitsFor === undefined || waitsFor === '' ? '' : `, waits for: ${waitsFor}`;
  const words = [kind, name, String(main), ...rest.map(([key, value]) => `${key}=${value}`)];
  return `${words.join(' ')}${waits}`;
};
