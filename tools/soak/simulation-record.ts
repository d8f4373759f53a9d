/** The record of the last whole soak of the simulation without a violation: a small file that is kept with the code. */
import { z } from 'zod';

export const RECORD_FILE = 'tools/soak/simulation-record.json';

const record = z.strictObject({
  schedules: z.number(),
  violations: z.number(),
  events: z.number(),
  virtualHours: z.number(),
  minutes: z.number(),
  ratePerCoreMinute: z.number(),
  cores: z.number(),
  commit: z.string(),
  /** The code had changes that were not committed. */
  isChanged: z.boolean(),
  day: z.string(),
  /** What it should have met in one schedule of a thousand, and did not (L22). */
  unreached: z.array(z.string()),
});

export type SoakRecord = z.infer<typeof record>;

export const renderSoakRecord = (made: SoakRecord): string => `${JSON.stringify(made, undefined, 2)}\n`;

export const parseSoakRecord = (text: string): SoakRecord => record.parse(JSON.parse(text));
