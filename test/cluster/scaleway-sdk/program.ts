/** The customer of test/contract/scaleway/go: built from its pinned SDK, and run to its end. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRecord } from '../../../src/base/json.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');
const MODULE = join(ROOT, 'tools', 'cluster', 'modules', 'scaleway-sdk');
const MAIN = join(ROOT, 'test', 'contract', 'scaleway', 'go', 'main.go');
/** Seconds with a warm build cache. */
const BUILD_TIMEOUT_MS = 180_000;
const RUN_TIMEOUT_MS = 60_000;
const GO_ENV = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' };

export interface Line {
  readonly step: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What the program says, line by line. */
export const runProgram = async (env: Readonly<Record<string, string>>): Promise<readonly Line[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'macfleet-sdk-'));
  const binary = join(folder, 'scaleway-sdk');
  try {
    const environment = { ...process.env, ...GO_ENV };
    await run('go', ['build', '-trimpath', '-o', binary, MAIN], {
      ...{ cwd: MODULE, env: environment, timeout: BUILD_TIMEOUT_MS },
    });
    const { stdout } = await run(binary, [], { env: { HOME: folder, ...env }, timeout: RUN_TIMEOUT_MS });
    return stdout
      .trim()
      .split('\n')
      .map((line) => parseLine(line));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const parseLine = (text: string): Line => {
  const line: unknown = JSON.parse(text);
  const [step, value] = isRecord(line) ? [line['step'], line['value']] : [];
  return { step: String(step), value: isRecord(value) ? value : {} };
};
