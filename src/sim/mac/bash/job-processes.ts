/** launchd's processes for good: started in the sandbox from what the job says, and ended there. */
import { once } from 'node:events';
import type { ProcessEnd, RunningProcess } from '../model/launchd.ts';
import type { JobSpec } from '../model/launchd-job.ts';
import type { Signatures } from '../model/signatures.ts';
import { runToEnd, signalNumber } from './run-to-end.ts';
import type { StartOnMac } from './sandbox.ts';

/** Says its number first. Where a job cannot write its log it does not start, as under launchd. */
const LAUNCH = `cd /
echo $$
{ : 2>/dev/null >>"$1" && : 2>/dev/null >>"$2"; } || exit 78
exec </dev/null >>"$1" 2>>"$2"
shift 2
exec "$@"`;

/** EX_OSERR */
const NO_RESOURCES = 71;

export const startJob = (start: StartOnMac, job: JobSpec, signatures: Signatures): RunningProcess => {
  const killedBefore = signatures.killed().length;
  const words = ['/host/usr/bin/bash', '--norc', '-c', LAUNCH, 'launchd', job.stdoutPath, job.stderrPath, ...job.words];
  const child = start(words, job.user, job.env);
  const pid = new Promise<number>((resolve) =>
    child.stdout.once('data', (first: Buffer) => resolve(Number(String(first)))),
  );
  // Nothing but the number comes this way; what the job says goes into its files.
  child.stderr.resume();
  const exited = once(child, 'close').then(
    ([code, signal]): ProcessEnd => {
      if (typeof code === 'number') return { code, reason: 'exit' };
      const isForSignature = signatures.killed().length > killedBefore;
      return { code: signalNumber(signal), reason: isForSignature ? 'signature' : 'signal' };
    },
    // This machine has no room for another process.
    (): ProcessEnd => ({ code: NO_RESOURCES, reason: 'exit' }),
  );
  return {
    pid,
    exited,
    kill: (signal) => {
      // Once the power is gone there is nobody left to kill.
      void pid.then((number) => send(start, signal, number)).catch(() => undefined);
    },
  };
};

const send = async (start: StartOnMac, signal: string, pid: number): Promise<void> => {
  await runToEnd(start(['/bin/kill', `-${signal}`, String(pid)], 'root'), '');
};
