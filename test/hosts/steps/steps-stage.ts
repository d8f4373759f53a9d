/** A simulated Mac with real bash, on which a test runs the scripts of src/hosts/steps as the runner does. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import type { FleetError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { createAnswerReader } from '../../../src/hosts/port/batch-answer.ts';
import { renderBatchArgv, renderSecrets } from '../../../src/hosts/port/batch-wire.ts';
import { quoteWords } from '../../../src/hosts/port/shell-words.ts';
import type { Batch, StepAnswer, StepCall } from '../../../src/hosts/port.ts';
import { composeProgram, type StepFiles } from '../../../src/hosts/program/compose.ts';
import { readStepFiles } from '../../../src/hosts/program/step-files.ts';
import type { MacShell } from '../../../src/sim/mac/bash/bash-mac.ts';
import { type MacStage, type StageOptions, stageMac } from '../mac/stage.ts';

export const STEP_FILES: StepFiles = readStepFiles();

export interface StepCallOptions {
  readonly do?: StepCall['do'];
  readonly inputs?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly digest?: string;
}

export interface BatchOptions {
  /** The login shell; bash unless given. */
  readonly shell?: MacShell;
  /** 1 unless given. */
  readonly epoch?: number;
  /** Instead of the scripts as they are. */
  readonly files?: StepFiles;
}

export interface BatchOutcome {
  readonly exitCode: number;
  readonly refusal: FleetError | undefined;
  readonly steps: readonly StepAnswer[];
  /** All that came back. */
  readonly raw: string;
}

export interface StepsStage extends MacStage {
  batch(calls: Readonly<Record<string, StepCallOptions>>, options?: BatchOptions): Promise<BatchOutcome>;
  /** One step, as `phase exit, phase exit`. */
  step(id: string, call?: StepCallOptions, options?: BatchOptions): Promise<string>;
  /** What the last batch's steps printed. */
  said(): string;
  /** Its sum, by which steps ask for it. */
  upload(content: string | Uint8Array): string;
  readText(path: string): string;
}

const M1 = { uid: 501, gid: 20 };
export const HOME = '/Users/m1';

/** `fresh`: as delivered. `fenced`: after first-look and sudo, whose files are simply put there. */
export const stageSteps = async (
  t: TestContext,
  { start = 'fenced', ...options }: StageOptions & { readonly start?: 'fresh' | 'fenced' } = {},
): Promise<StepsStage> => {
  const stage = await stageMac(t, options);
  const { files } = stage.mac;
  if (start === 'fenced') {
    files.makeDirectory(`${HOME}/.macfleet`, { ...M1, mode: 0o700 });
    files.makeDirectory(`${HOME}/.macfleet/epoch`, { ...M1, mode: 0o700 });
    files.write(`${HOME}/.macfleet/epoch/1`, '', M1);
    files.write('/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  }
  let said = '';
  const batch: StepsStage['batch'] = async (named, { shell = 'bash', epoch = 1, files: scripts = STEP_FILES } = {}) => {
    const calls = Object.entries(named).map(([step, call]) => toCall(step, call));
    const given: Batch = { epoch, calls, timeoutMs: 60_000 };
    const program = composeProgram(scripts, Object.keys(named));
    const line = `exec ${quoteWords(renderBatchArgv(program, given))}`;
    const { exitCode, stdout, stderr } = await stage.run(line, { shell, stdin: renderSecrets(calls).toString() });
    const reader = createAnswerReader(given);
    reader.push(Buffer.from(stdout));
    const { answer, refusal } = reader.finish();
    said = answer.steps.map(({ output }) => output).join('');
    return { exitCode, refusal, steps: answer.steps, raw: `${stdout}${stderr}` };
  };
  return {
    ...stage,
    batch,
    step: async (id, call = {}, more = {}) => {
      const { steps, raw } = await batch({ [id]: call }, more);
      const phases = steps.flatMap(({ phases }) => phases.map(({ phase, exitCode }) => `${phase} ${exitCode}`));
      return phases.length === 0 ? raw : phases.join(', ');
    },
    said: () => said,
    upload: (content) => {
      const sum = createHash('sha256').update(content).digest('hex');
      for (const folder of ['.macfleet', '.macfleet/artefacts'])
        files.makeDirectory(`${HOME}/${folder}`, { ...M1, mode: 0o700 });
      files.write(`${HOME}/.macfleet/artefacts/${sum}`, content, M1);
      return sum;
    },
    readText: (path) => files.readText(path) ?? '',
  };
};

const toCall = (
  step: string,
  { do: what = 'converge', inputs = {}, secrets = {}, digest = 'd1' }: StepCallOptions,
) => ({
  ...{ step, do: what, inputs, digest },
  secrets: Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, new Secret(value)])),
});

/** A process that scripts take for a virtual machine, until the test ends or `pkill -f 'tart run'`. */
export const startMachine = async (t: TestContext, { mac }: MacStage): Promise<void> => {
  const name = '/usr/local/lib/tart.app/Contents/MacOS/tart run vm';
  const machine = mac.start(['/usr/bin/perl', '-e', '$| = 1; $0 = $ARGV[0]; print "up\n"; sleep 600', name], 'm1');
  t.after(() => machine.kill());
  await once(machine.stdout, 'data');
};

/** The scripts with one of them changed: a mistake that was made once, put back. */
export const mutate = (id: string, from: string, to: string): StepFiles => {
  const text = STEP_FILES.steps[id] ?? '';
  const changed = text.replaceAll(from, () => to);
  if (changed === text) throw new Error(`${id}.sh does not hold ${from}: the mutant is none`);
  return { ...STEP_FILES, steps: { ...STEP_FILES.steps, [id]: changed } };
};
