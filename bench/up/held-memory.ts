/** What `up` holds with so many Macs, all of them Nodes with work on them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rssMbOf } from '../control-plane/server.ts';
import { startMacfleet } from '../processes/program.ts';

/** What is measured is what it holds, not what it needed for a moment. */
const SETTLE_MS = 20_000;

export const measureHeldMb = async (machines: number): Promise<number> => {
  const up = startMacfleet(['up', '--machines', String(machines), '--macs-as', 'step-level']);
  try {
    await up.until(/Ctrl-C stops everything/);
    await sleep(SETTLE_MS);
    return rssMbOf(up.pid);
  } finally {
    await up.end('SIGKILL');
  }
};
