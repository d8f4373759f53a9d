/**
 * The guest of a runner: polls the dispatcher until it has a job or is sent home, runs the job, and ends with the runner's code. One
 * implementation for VMs that are processes (main.ts) and for those that are steps on the virtual clock.
 */
import { pause } from '../../../base/clock.ts';
import { ask, TERMINATED } from './ask.ts';
import { decidePoll } from './decide-poll.ts';
import type { GuestPorts } from './guest-ports.ts';
import { runJob } from './run-job.ts';

const POLL_MS = 2_000;
const TOLD_EVERY = 30;

/** Its exit code. */
export const runGuest = async (ports: GuestPorts): Promise<number> => {
  const { clock, settings, print, signal } = ports;
  if (settings.dispatchUrl === '') {
    print('TUIST_RUNNER_DISPATCH_URL is not set\n');
    return 1;
  }
  for (let asked = 1; !signal.aborted; asked += 1) {
    const answer = await ask(ports, settings.dispatchUrl, {});
    const step = answer === undefined ? ({ do: 'ask-again' } as const) : decidePoll(answer);
    if (step.do === 'run') return runJob(ports, step.jit);
    if (step.do === 'end') {
      print(`${step.why}\n`);
      return step.code;
    }
    if (asked % TOLD_EVERY === 1) print(`waiting for a job (${answer?.status ?? 'no answer'})\n`);
    await pause(clock, POLL_MS / settings.speed, signal);
  }
  return TERMINATED;
};
