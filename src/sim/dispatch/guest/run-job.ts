/** One job on a runner: registered by a JIT config, begun, kept alive at GitHub, ended; and what a guest does after it. */
import { z } from 'zod';
import { pause } from '../../../base/clock.ts';
import { GITHUB_PATHS } from '../github-routes.ts';
import { ask, TERMINATED } from './ask.ts';
import type { GuestPorts } from './guest-ports.ts';

const RETRY_MS = 2_000;
const END_TRIES = 5;
/** Caches are given back, the last metrics sent. */
const AFTERMATH_MS = 3_000;

const TASK = z.object({ run_ms: z.number(), renew_ms: z.number(), exit_code: z.number() });
type Task = z.infer<typeof TASK>;

/** The code of the runner, which does not tell whether the job went well. */
export const runJob = async (ports: GuestPorts, jit: string): Promise<number> => {
  const { clock, settings, print, signal } = ports;
  const task = await begin(ports, jit);
  if (typeof task === 'number') return task;
  print('the job has begun\n');
  const code = await work(ports, jit, task);
  if (signal.aborted) return TERMINATED;
  await sendMetrics(ports);
  await pause(clock, AFTERMATH_MS / settings.speed, signal);
  return signal.aborted ? TERMINATED : code;
};

/** Waits for the job that was promised. The watchdog gives up on it: GitHub may have given it to somebody else. */
const begin = async (ports: GuestPorts, jit: string): Promise<Task | number> => {
  const { clock, settings, print, signal } = ports;
  const { idleTimeoutMs, speed } = settings;
  const deadlineMs = idleTimeoutMs > 0 ? clock.elapsed() + idleTimeoutMs / speed : Number.POSITIVE_INFINITY;
  while (!signal.aborted) {
    const answer = await ask(ports, GITHUB_PATHS.start, { encoded_jit_config: jit });
    if (answer?.status === 200) return TASK.parse(JSON.parse(answer.body));
    if (answer?.status === 410 || answer?.status === 401) {
      print(`GitHub has no job for this runner: ${answer.status}\n`);
      return answer.status === 410 ? 0 : 1;
    }
    if (clock.elapsed() >= deadlineMs) {
      print('no job came in time\n');
      return TERMINATED;
    }
    await pause(clock, RETRY_MS / speed, signal);
  }
  return TERMINATED;
};

/** As long as the job lasts, GitHub hears of its runner now and then. */
const work = async (ports: GuestPorts, jit: string, { run_ms, renew_ms, exit_code }: Task): Promise<number> => {
  const { clock, print, signal } = ports;
  const endMs = clock.elapsed() + run_ms;
  for (let leftMs = run_ms; leftMs > 0; leftMs = endMs - clock.elapsed()) {
    await pause(clock, Math.min(leftMs, renew_ms), signal);
    if (signal.aborted) return TERMINATED;
    if (clock.elapsed() >= endMs) break;
    const answer = await ask(ports, GITHUB_PATHS.renew, { encoded_jit_config: jit });
    if (answer?.status !== 410) continue;
    print('GitHub says that the job is over\n');
    return 1;
  }
  return end(ports, { encoded_jit_config: jit, exit_code });
};

const end = async (ports: GuestPorts, body: object): Promise<number> => {
  const { clock, print, signal, settings } = ports;
  for (let attempt = 1; attempt <= END_TRIES && !signal.aborted; attempt += 1) {
    const answer = await ask(ports, GITHUB_PATHS.end, body);
    if (answer !== undefined && answer.status < 500) {
      print('the job has ended\n');
      return answer.status === 410 ? 1 : 0;
    }
    await pause(clock, RETRY_MS / settings.speed, signal);
  }
  print('GitHub cannot be told how the job ended\n');
  return 1;
};

const sendMetrics = async (ports: GuestPorts): Promise<void> => {
  const { clock, settings } = ports;
  const path = `${new URL(settings.dispatchUrl).pathname.replace(/\/dispatch$/, '')}/pods/${settings.podName}/metrics`;
  const usage = { cpu_usage_percent: 87, memory_used_bytes: 6e9, memory_total_bytes: 8e9 };
  const sample = { timestamp: new Date(clock.now()).toISOString(), ...usage };
  await ask(ports, path, { samples: [sample] });
};
