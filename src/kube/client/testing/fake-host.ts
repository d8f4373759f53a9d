/** A machine of files and commands that exist only in a test. */
import type { Command, CommandOutput, HostIo } from '../login/host-io.ts';

export interface FakeHost extends HostIo {
  readonly files: Map<string, string>;
  readonly reads: string[];
  readonly commands: Command[];
}

export const createFakeHost = (
  files: Readonly<Record<string, string>> = {},
  answer: (command: Command) => Promise<CommandOutput> = async () => ({ exitCode: 127, stdout: '', stderr: '' }),
): FakeHost => {
  const host: FakeHost = {
    files: new Map(Object.entries(files)),
    reads: [],
    commands: [],
    readText: async (path) => {
      host.reads.push(path);
      return host.files.get(path);
    },
    run: (command) => {
      host.commands.push(command);
      return answer(command);
    },
  };
  return host;
};
