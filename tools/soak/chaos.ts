/** `./macfleet up --chaos`, longer and again with other seeds than in CI. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface ChaosSoak {
  readonly rounds: number;
  /** Of each round, as `--for` takes it. */
  readonly for: string;
  /** Of the first round; the others follow. */
  readonly seed: number;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Whether every verdict was good. A round that was not is told with what brings it back, and the others are still run. */
export const soakChaos = async ({ rounds, for: time, seed, print, signal }: ChaosSoak): Promise<boolean> => {
  const bad: number[] = [];
  for (let at = seed; at < seed + rounds && !signal.aborted; at += 1) {
    if ((await runChaos(['--for', time, '--seed', String(at)])) !== 0) bad.push(at);
  }
  for (const at of bad) print(`broken: ./macfleet up --chaos --for ${time} --seed ${at}\n`);
  return bad.length === 0 && !signal.aborted;
};

const runChaos = async (flags: readonly string[]): Promise<number | null> => {
  const args = ['up', '--chaos', '--until', 'verdict', ...flags];
  const child = spawn(join(ROOT, 'macfleet'), args, { cwd: ROOT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code;
};
