/** Steps and files for tests, with nothing in them but what a test names. */
import { createHash } from 'node:crypto';
import type { Artefact } from '../port.ts';
import type { Step } from '../step.ts';

export const stepOf = (id: string, more: Partial<Step> = {}): Step => ({
  ...{ id, needs: [], follows: [], inputs: {}, secretInputs: [], artefacts: [], timeoutMs: 30_000 },
  ...more,
});

export const artefactOf = (name: string, content = name): Artefact => ({
  name,
  sha256: createHash('sha256').update(content).digest('hex'),
  sizeBytes: Buffer.byteLength(content),
  async *open() {
    yield Buffer.from(content);
  },
});
