/** Adapter: managers as child processes that can be killed in the middle of anything. They end with this process, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ManagerChildren {
  start(name: string): void;
  /** As `kill -9`; settles when it is gone. */
  kill(name: string): Promise<void>;
  /** The one that said last that it leads, and is alive. */
  leader(): string | undefined;
  names(): readonly string[];
  stop(): Promise<void>;
}

export interface ManagerChildrenOptions {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Every line that one of them says. */
  readonly onLine: (name: string, line: string) => void;
  /** One ended by itself. */
  readonly onEnd: (name: string, how: string) => void;
}

const MANAGER = join(import.meta.dirname, '..', '..', '..', '..', 'bin', 'manager.ts');
/** The channel to a parent that is gone is closed, whatever became of the parent. */
const END_WITH_PARENT = `data:text/javascript,process.on('disconnect',()=>process.exit(1))`;
const LEADS = /"Leader lease acquired"/;

export const createManagerChildren = (options: ManagerChildrenOptions): ManagerChildren => {
  const alive = new Map<string, ChildProcess>();
  let leader: string | undefined;
  const end = async (name: string): Promise<void> => {
    const child = alive.get(name);
    if (child === undefined) return;
    alive.delete(name);
    if (leader === name) leader = undefined;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const start = (name: string): void => {
    const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MANAGER, ...options.flags], {
      ...{ stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: options.env },
    });
    alive.set(name, child);
    for (const output of [child.stdout, child.stderr]) {
      if (output === null) continue;
      createInterface({ input: output }).on('line', (line) => {
        if (LEADS.test(line) && alive.get(name) === child) leader = name;
        options.onLine(name, line);
      });
    }
    child.once('exit', (code, signal) => {
      if (alive.get(name) !== child) return;
      alive.delete(name);
      if (leader === name) leader = undefined;
      options.onEnd(name, signal ?? `exit code ${code}`);
    });
  };
  return {
    ...{ start, kill: end, leader: () => leader, names: () => [...alive.keys()] },
    stop: async () => {
      await Promise.all([...alive.keys()].map(end));
    },
  };
};
