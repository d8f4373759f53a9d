/** steps/driver.sh in real bash, with steps that only touch an empty home of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createAnswerReader } from '../../src/hosts/port/batch-answer.ts';
import { renderBatchArgv, renderSecrets } from '../../src/hosts/port/batch-wire.ts';
import type { Batch, BatchAnswer, StepCall } from '../../src/hosts/port.ts';
import { composeProgram } from '../../src/hosts/program/compose.ts';
import { readStepFiles } from '../../src/hosts/program/step-files.ts';

const { driver } = readStepFiles();

/** A step that keeps its state in a file of its name, and counts its applies. */
export const fileStep = (id: string): string => `
check() { [ -e "$HOME/${id}" ] && [ "$(cat "$HOME/${id}")" = "\${in_value-}" ]; }
apply() { echo x >>"$HOME/${id}.applied"; printf '%s' "\${in_value-}" >"$HOME/${id}"; }`;

/** Notes the claim, as the real one does. */
export const FIRST_LOOK = `
check() {
  [ -e "$macfleet_home/claim" ] || return 1
  [ "$(cat "$macfleet_home/claim")" = "$in_claim" ] || refuse 'NotWiped it works for another claim'
}
apply() { mkdir -p "$macfleet_home" && printf '%s' "$in_claim" >"$macfleet_home/claim"; }`;

export interface DriverRun {
  readonly exitCode: number | null;
  /** As it came, with what is not ours. */
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly answer: BatchAnswer;
  /** `<kind> <code>` of a refusal. */
  readonly refusal: string | undefined;
}

export interface DriverHome {
  readonly home: string;
  run(batch: Partial<Batch>, more?: Partial<RunOptions>): Promise<DriverRun>;
  /** How often a step was applied. */
  appliesOf(id: string): number;
  read(path: string): string | undefined;
}

interface RunOptions {
  /** Ends everything, as a lost connection does, when so many lines came. */
  readonly killAfterLines: number;
  /** In place of the batch's secrets. */
  readonly stdin: Buffer;
}

export const callOf = (step: string, more: Partial<StepCall> = {}): StepCall => ({
  ...{ step, do: 'converge', inputs: {}, secrets: {}, digest: `digest of ${step}` },
  ...more,
});

export const openHome = (test: TestContext, steps: Readonly<Record<string, string>>): DriverHome => {
  const home = mkdtempSync(join(tmpdir(), 'macfleet-driver-'));
  test.after(() => rmSync(home, { recursive: true, force: true }));
  const read = (path: string): string | undefined =>
    existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : undefined;
  return {
    home,
    read,
    appliesOf: (id) => (read(`${id}.applied`) ?? '').split('\n').length - 1,
    run: (given, more = {}) => {
      const batch: Batch = { epoch: 1, calls: [], timeoutMs: 60_000, ...given };
      const ids = batch.calls.map(({ step }) => step);
      return runDriver({ home, program: composeProgram({ lib: '', driver, steps }, ids), batch }, more);
    },
  };
};

interface Prepared {
  readonly home: string;
  readonly program: string;
  readonly batch: Batch;
}

const runDriver = async ({ home, program, batch }: Prepared, more: Partial<RunOptions>): Promise<DriverRun> => {
  const [path = '', ...args] = renderBatchArgv(program, batch);
  const child = spawn(path, args, { env: { HOME: home, PATH: '/usr/bin:/bin' }, detached: true });
  const reader = createAnswerReader(batch);
  let text = '';
  let stderr = '';
  const killGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    reader.push(chunk);
    text += chunk.toString('latin1');
    if (text.split('\n').length > (more.killAfterLines ?? Number.POSITIVE_INFINITY)) killGroup();
  });
  // A driver that ends early does not read all.
  child.stdin.on('error', () => undefined);
  child.stdin.end(more.stdin ?? renderSecrets(batch.calls));
  if (more.killAfterLines === 0) killGroup();
  const [exitCode] = await once(child, 'close');
  const { answer, refusal } = reader.finish();
  const lines = text.split('\n').slice(0, -1);
  return { exitCode, lines, stderr, answer, refusal: refusal && `${refusal.kind} ${refusal.code}` };
};
