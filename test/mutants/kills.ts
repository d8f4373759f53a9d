/** The record of the last hunt for all mutants (`npm run simulate -- --mutants --save test/mutants/kills.json`). */
import { z } from 'zod';

export const KILLS_FILE = 'test/mutants/kills.json';

const kill = z.strictObject({
  id: z.string(),
  /** The promise that was seen broken. */
  property: z.string(),
  /** The first schedule that broke it: a seed, or a day of test/schedules. */
  seed: z.union([z.number(), z.string()]),
  /** How many were run up to it. */
  schedules: z.number(),
});

export type RecordedKill = z.infer<typeof kill>;

export const parseKills = (text: string): readonly RecordedKill[] => z.array(kill).parse(JSON.parse(text));

export const renderKills = (kills: readonly RecordedKill[]): string => {
  const sorted = kills.toSorted((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
  return `[\n${sorted.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`;
};
