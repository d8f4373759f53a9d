/** The Hosts port over SSH: a step is a bash script with its call as arguments and its secrets on standard input. */

import { hostKeyNotPinned } from '../port/session-errors.ts';
import { parseRefusal, renderSecrets, renderStepArgv } from '../port/step-wire.ts';
import type { HostSession, Hosts, HostTarget, StepAnswer, StepCall } from '../port.ts';
import { redact } from '../redact.ts';
import { openSshConnection, type SshConnection, type SshOptions } from './ssh-connection.ts';

export interface SshHostsOptions extends SshOptions {
  /** The bash script of a step; it is given step, phase, epoch and inputs. Undefined for a step that does not exist. */
  readonly scriptOf: (step: string) => string | undefined;
  /** Of one phase, whatever its caller allows it. */
  readonly phaseTimeoutMs: number;
}

export const createSshHosts = (options: SshHostsOptions): Hosts => ({
  open: async (target, signal) => sessionOn(await openSshConnection(target, options, signal), target, options),
});

/** What bash exits with when there is no such script. */
const NO_SUCH_SCRIPT = 127;

const sessionOn = (
  connection: SshConnection,
  { pinnedHostKey }: HostTarget,
  options: SshHostsOptions,
): HostSession => ({
  hostKey: connection.hostKey,
  run: async (call, signal) => {
    if (pinnedHostKey === undefined) throw hostKeyNotPinned();
    const script = options.scriptOf(call.step);
    if (script === undefined) return { exitCode: NO_SUCH_SCRIPT, output: `there is no script for ${call.step}` };
    const answer = await runPhase({ connection, script, timeoutMs: options.phaseTimeoutMs }, call, signal);
    const refusal = parseRefusal(call, answer);
    if (refusal !== undefined) throw refusal;
    return answer;
  },
  close: connection.close,
});

interface PhaseRun {
  readonly connection: SshConnection;
  readonly script: string;
  readonly timeoutMs: number;
}

const runPhase = async (run: PhaseRun, call: StepCall, signal: AbortSignal): Promise<StepAnswer> => {
  const { connection, script, timeoutMs } = run;
  const { exitCode, stdout, stderr } = await connection.run(
    {
      argv: renderStepArgv(script, call),
      stdin: renderSecrets(call.secrets),
      ...{ timeoutMs, doing: `step ${call.step}` },
    },
    signal,
  );
  // What went wrong is told on standard error, and read from the last line.
  return { exitCode, output: redact(stdout.render(call.secrets) + stderr.render(call.secrets), call.secrets) };
};
