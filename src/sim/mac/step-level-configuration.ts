/** What a fleet of step-level Macs is configured with: no scripts, which they do not run, and small files to upload. */
import { createHash } from 'node:crypto';
import type { Artefact } from '../../hosts/port.ts';

export interface StepLevelConfiguration {
  readonly files: { readonly lib: string; readonly steps: Readonly<Record<string, string>> };
  readonly artefacts: Readonly<Record<string, Artefact>>;
}

/** As long as the real ones are, for the time that an upload takes. */
const SIZES_BYTES = { tart: 30_000_000, node: 45_000_000, agent: 500_000 };

/** `release` tells one state of the configuration from another, such as before and after an upgrade. */
export const createStepLevelConfiguration = (release = '1'): StepLevelConfiguration => ({
  files: { lib: '', steps: {} },
  artefacts: Object.fromEntries(
    Object.entries(SIZES_BYTES).map(([name, sizeBytes]) => [name, simulatedArtefact(name, release, sizeBytes)]),
  ),
});

const simulatedArtefact = (name: string, release: string, sizeBytes: number): Artefact => {
  const content = Buffer.from(`simulated ${name}, release ${release}`);
  return {
    ...{ name, sizeBytes, sha256: createHash('sha256').update(content).digest('hex') },
    async *open() {
      yield content;
    },
  };
};
