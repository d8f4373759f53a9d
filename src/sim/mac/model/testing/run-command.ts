/** Calls a command of a simulated Mac as its shell would. */
import { neverAborted } from '../../../../base/abort.ts';
import type { CommandAnswer, MacCommands } from '../command.ts';

export type RunCommand = (line: string, stdin?: string) => Promise<string>;

/** What was said on both outputs, after the exit code. Words are split at spaces; `m1:` in front asks as m1. */
export const commandRunner =
  (commands: MacCommands): RunCommand =>
  async (line, stdin = '') => {
    const isM1 = line.startsWith('m1:');
    const [name = '', ...args] = line.replace(/^m1:/, '').trim().split(' ');
    const call = { name, args, uid: isM1 ? 501 : 0, pid: 700, cwd: '/', stdin };
    const answer: CommandAnswer = (await commands[name]?.(call, neverAborted())) ?? { exitCode: 127 };
    return `${answer.exitCode} ${answer.stdout ?? ''}${answer.stderr ?? ''}`.trimEnd();
  };
