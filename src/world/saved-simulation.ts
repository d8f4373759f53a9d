/** The simulated cloud and its Macs as one text: what `up --data` goes on with. Pure. */
import { z } from 'zod';
import { FleetError, messageOf } from '../base/errors.ts';
import { SAVED_CLOUD } from '../sim/cloud/saved-cloud.ts';
import { describeIssues } from '../sim/http/describe-issues.ts';
import { SAVED_DISK } from '../sim/mac/saved-disk.ts';

const VERSION = 2;
/** Read before all else: what another version holds is nobody's guess. */
const ANY_VERSION = z.looseObject({ version: z.number() });
const SAVED_SIMULATION = z.strictObject({
  version: z.literal(VERSION),
  cloud: SAVED_CLOUD,
  /** By the id of the server. */
  disks: z.record(z.string(), SAVED_DISK),
});

export type SavedSimulation = z.infer<typeof SAVED_SIMULATION>;

export const renderSimulation = (simulation: Omit<SavedSimulation, 'version'>): string =>
  JSON.stringify({ version: VERSION, ...simulation });

export const parseSimulation = (text: string): SavedSimulation => {
  const saved = parseText(text);
  const told = ANY_VERSION.safeParse(saved);
  if (!told.success) throw unusable('it is no saved simulation');
  if (told.data.version !== VERSION)
    throw unusable(`it is of version ${told.data.version}, and ${VERSION} is read here`);
  const result = SAVED_SIMULATION.safeParse(saved);
  if (!result.success) throw unusable(describeIssues(result.error));
  return result.data;
};

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusable(messageOf(error));
  }
};

const unusable = (why: string): FleetError =>
  new FleetError('invalid', {
    code: 'SimulationUnusable',
    message: `the saved simulation cannot be read: ${why}`,
    hint: 'Start with a new folder, or throw this fleet away with --clean.',
  });
