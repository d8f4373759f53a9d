/** `kill -9` under load, many times: the tests that do it a few times in `npm test` and `npm run test:worlds`, told to go on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** What can be killed, and the tests that do it. */
const FILES = {
  'control-plane': ['src/cli/control-plane/kill-under-load.test.ts', 'src/controlplane/store/sqlite-log.test.ts'],
  agent: ['test/kubelet/kills.test.ts'],
} as const;

export type Victim = keyof typeof FILES;
export const VICTIMS: readonly Victim[] = ['control-plane', 'agent'];

/** Whether all of it held. */
export const runKills = async (of: Victim, times: number): Promise<boolean> => {
  const child = spawn(process.execPath, ['--test', '--test-concurrency=1', ...FILES[of]], {
    cwd: ROOT,
    env: { ...process.env, MACFLEET_KILLS: String(times) },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
};
