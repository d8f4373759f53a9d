/** The simulated cloud and its Macs as one text: what `up --data` goes on with. Pure. */
import { FleetError, messageOf } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { SavedCloud } from '../sim/cloud/saved-cloud.ts';
import type { SavedDisk } from '../sim/mac/saved-disk.ts';

export interface SavedSimulation {
  readonly version: 2;
  readonly cloud: SavedCloud;
  readonly disks: Readonly<Record<string, SavedDisk>>;
}

export const renderSimulation = (simulation: Omit<SavedSimulation, 'version'>): string =>
  JSON.stringify({ version: 2, ...simulation });

/** Its own writer wrote it whole, so its shape is trusted; another version or a damaged file is refused. */
export const parseSimulation = (text: string): SavedSimulation => {
  const saved = parseText(text);
  if (isRecord(saved) && saved['version'] === 2) return saved as unknown as SavedSimulation;
  throw unusable('it is of another version');
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
    hint: 'Start with a new folder.',
  });
