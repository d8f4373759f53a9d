/** The process table of a simulated Mac. */
import type { Clock } from '../../../base/clock.ts';

export interface StepProcess {
  readonly pid: number;
  readonly command: string;
  readonly startedAtMs: number;
  /** What a signal does; SIGKILL and SIGTERM end it whatever it says. */
  readonly onSignal: (signal: string) => void;
  /** Called once, when a signal ended it. */
  readonly onKilled: (signal: string) => void;
}

export interface StepProcesses {
  /** The process, and a function that ends it by itself. */
  start(process: Omit<StepProcess, 'pid' | 'startedAtMs'>): { readonly pid: number; readonly end: () => void };
  isAlive(pid: number): boolean;
  kill(pid: number, signal: string): boolean;
  /** All are gone at once, and nobody notes how. */
  loseAll(): void;
  isLost(pid: number): boolean;
  list(): readonly StepProcess[];
}

const FIRST_PID = 500;

export const createStepProcesses = (clock: Clock): StepProcesses => {
  const alive = new Map<number, StepProcess>();
  const lost = new Set<number>();
  let nextPid = FIRST_PID;
  const kill = (pid: number, signal: string): boolean => {
    const process = alive.get(pid);
    if (process === undefined) return false;
    if (signal !== 'SIGKILL' && signal !== 'SIGTERM') {
      process.onSignal(signal);
      return true;
    }
    alive.delete(pid);
    process.onKilled(signal);
    return true;
  };
  return {
    start: (process) => {
      const pid = nextPid;
      nextPid += 1;
      alive.set(pid, { ...process, pid, startedAtMs: clock.now() });
      return { pid, end: () => void alive.delete(pid) };
    },
    isAlive: (pid) => alive.has(pid),
    kill,
    loseAll: () => {
      for (const pid of alive.keys()) lost.add(pid);
      alive.clear();
    },
    isLost: (pid) => lost.has(pid),
    list: () => [...alive.values()],
  };
};
