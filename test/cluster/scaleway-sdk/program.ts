/** The customer of tools/cluster/modules/scaleway-sdk, run to its end. `cluster:build` builds it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '../../../src/base/json.ts';
import { findBinaries } from '../../../tools/cluster/binaries.ts';

const run = promisify(execFile);
const RUN_TIMEOUT_MS = 60_000;

export interface Line {
  readonly step: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What the program says, line by line. Nothing of ours is in its environment but this. */
export const runProgram = async (env: Readonly<Record<string, string>>): Promise<readonly Line[]> => {
  const programs = await findBinaries(process.env, { need: ['scaleway-sdk'] });
  const home = await mkdtemp(join(tmpdir(), 'macfleet-sdk-'));
  try {
    const { stdout } = await run(programs.path('scaleway-sdk'), [], {
      env: { HOME: home, ...env },
      timeout: RUN_TIMEOUT_MS,
    });
    return stdout
      .trim()
      .split('\n')
      .map((line) => parseLine(line));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

const parseLine = (text: string): Line => {
  const line: unknown = JSON.parse(text);
  const [step, value] = isRecord(line) ? [line['step'], line['value']] : [];
  return { step: String(step), value: isRecord(value) ? value : {} };
};
