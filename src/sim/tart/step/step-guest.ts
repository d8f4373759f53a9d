/** A guest on the virtual clock: its script is understood, not run, and its shares are folders in memory. */
import { type Clock, sleep } from '../../../base/clock.ts';
import {
  answersItself,
  COMMAND_FILE,
  ENV_FILE,
  EXIT_CODE_FILE,
  type Guest,
  type GuestBoot,
  type GuestEnd,
  type GuestProgramContext,
  type GuestPrograms,
  isShutdown,
  LOG_FILE,
  parseEnvFile,
  SCRIPT_VARIABLE,
} from '../guest.ts';
import type { ExecIo } from '../tart-context.ts';
import { isLauncher, LAUNCHED_FOLDER, readCommandFile } from './command-file.ts';
import type { FileTree } from './file-tree.ts';
import { planScript } from './guest-script.ts';

export interface StepGuest extends Guest {
  /** Undefined when nobody answers. */
  exec(argv: readonly string[], io: ExecIo): Promise<number | undefined>;
}

const TERMINATED = 143;
const NOT_FOUND = 127;
const LONGEST_MS = 365 * 24 * 3_600_000;

export interface StepGuestPorts {
  readonly clock: Clock;
  readonly files: FileTree;
  /** What images bring beside the few words of bash. */
  readonly programs?: GuestPrograms;
}

export const bootStepGuest = ({ clock, files, programs = {} }: StepGuestPorts, boot: GuestBoot): StepGuest => {
  const { promise: ended, resolve: end } = Promise.withResolvers<GuestEnd>();
  const power = new AbortController();
  const stopping = new AbortController();
  let hasBooted = false;
  const share = (name: string): string | undefined => boot.shares.find((found) => found.name === name)?.path;
  const status = share('status');
  const print = (text: string): void => {
    if (status !== undefined && files.has(status)) files.append(`${status}/${LOG_FILE}`, text);
  };
  const readEnv = () => parseEnvFile(files.textOf(`${share('env')}/${ENV_FILE}`) ?? '');
  const main = async (script: string): Promise<void> => {
    const env = readEnv();
    const readShared = (path: string): string | undefined => files.textOf(`${share('env')}/${path}`);
    const code = await follow(script, { clock, signal: stopping.signal, print, programs, env, readShared });
    if (power.signal.aborted) return;
    if (status !== undefined && files.has(status)) files.write(`${status}/${EXIT_CODE_FILE}`, `${code}\n`);
    end({ how: 'shutdown' });
  };
  const start = (): void => {
    hasBooted = true;
    boot.onNetwork();
    const script = readEnv()[SCRIPT_VARIABLE] ?? boot.plan.script;
    if (script !== undefined) void main(script);
    else stopping.signal.addEventListener('abort', () => end({ how: 'shutdown' }));
  };
  /** What a Pod's container says runs on by itself; the agent finds its code and switches the guest off. */
  const launch = async (): Promise<void> => {
    if (status === undefined || files.has(`${status}/${LAUNCHED_FOLDER}`)) return;
    files.makeFolder(`${status}/${LAUNCHED_FOLDER}`);
    const words = readCommandFile(files.textOf(`${share('env')}/${COMMAND_FILE}`) ?? '');
    const code = await follow(scriptOf(words), { ...NO_PROGRAMS, clock, signal: stopping.signal, print });
    if (!power.signal.aborted && files.has(status)) files.write(`${status}/${EXIT_CODE_FILE}`, `${code}\n`);
  };
  const cancelBoot = clock.schedule(boot.plan.bootMs, start);
  const { panicAfterMs, agentSilent } = boot.faults;
  const panic = (): void => end({ how: 'error', why: 'Internal Virtualization error.' });
  const cancelPanic = panicAfterMs === undefined ? () => undefined : clock.schedule(panicAfterMs, panic);
  return {
    ended,
    exec: async (argv, { out }) => {
      if (!hasBooted || agentSilent === true || power.signal.aborted) return undefined;
      const [script, answer] = [scriptOf(argv), answersItself(argv, boot.faults)];
      if (answer !== undefined) out(answer);
      else if (isLauncher(script)) void launch();
      else if (isShutdown(argv)) stopping.abort();
      else return follow(script, { ...NO_PROGRAMS, clock, signal: power.signal, print: out });
      return 0;
    },
    powerOff: () => {
      cancelBoot();
      cancelPanic();
      end({ how: 'power-off' });
      power.abort();
      stopping.abort();
    },
  };
};

/** A shell's script, or a command as one. */
const scriptOf = (argv: readonly string[]): string => {
  const [program = '', flag = '', script = ''] = argv;
  if (/(^|\/)(ba|z)?sh$/.test(program) && /^-\w*c$/.test(flag)) return script;
  return [program.replace(/^.*\//, ''), ...argv.slice(1)].join(' ');
};

interface Following extends GuestProgramContext {
  readonly programs: GuestPrograms;
}

const NO_PROGRAMS = { programs: {}, env: {}, readShared: () => undefined };

/** The code it ends with; an abort is a SIGTERM. */
const follow = async (script: string, { programs, ...context }: Following): Promise<number> => {
  const { clock, signal, print } = context;
  let status = 0;
  for (const step of planScript(script, Object.keys(programs))) {
    if (signal.aborted) return TERMINATED;
    if (step.do === 'end') return step.code;
    if (step.do === 'print') print(step.text);
    if (step.do === 'status') status = step.code;
    if (step.do === 'program')
      status = (await programs[step.name]?.({ ...context, env: { ...context.env, ...step.env } })) ?? NOT_FOUND;
    if (step.do !== 'wait') continue;
    const isOver = await sleep(clock, Math.min(step.ms, LONGEST_MS), signal).then(
      () => false,
      () => true,
    );
    if (isOver) return TERMINATED;
  }
  return status === NOT_FOUND ? NOT_FOUND : status;
};
