/** A session that answers as a test says and remembers what it was asked. */
import type { HostSession, StepAnswer, StepCall } from '../port.ts';

export interface ScriptedSession extends HostSession {
  readonly calls: readonly StepCall[];
  /** The calls as `step phase`. */
  asked(): readonly string[];
}

/** Called for every phase; undefined means that the check finds nothing and everything else succeeds. */
export type Answers = (call: StepCall, signal: AbortSignal) => Promise<StepAnswer> | StepAnswer | undefined;

export const createScriptedSession = (answers: Answers = () => undefined): ScriptedSession => {
  const calls: StepCall[] = [];
  return {
    hostKey: 'SHA256:scripted',
    calls,
    asked: () => calls.map(({ step, phase }) => `${step} ${phase}`),
    run: async (call, signal) => {
      calls.push(call);
      return (await answers(call, signal)) ?? { exitCode: call.phase === 'check' ? 1 : 0, output: '' };
    },
    close: () => Promise.resolve(),
  };
};
