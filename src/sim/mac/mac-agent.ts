/** The agent process of a simulated Mac, as its launchd keeps it: started from what is on the disk, stopped with the power. */
import type { Secret } from '../../base/secret.ts';
import type { AgentJob, MacDisk } from './mac-disk.ts';

export interface AgentStart extends AgentJob {
  readonly kubeconfig: Secret<string>;
}

/** Starts a node agent and returns how to stop it. Neither may throw. */
export type StartAgent = (start: AgentStart) => () => void;

export interface MacAgent {
  /** Starts what the disk asks for, in place of what ran. Nothing without a job or a kubeconfig. */
  start(disk: MacDisk): void;
  stop(): void;
  /** What runs, and with which credentials. */
  running(): AgentStart | undefined;
}

export const createMacAgent = (startAgent: StartAgent): MacAgent => {
  let current: { readonly start: AgentStart; readonly stop: () => void } | undefined;
  const stop = (): void => {
    const stopped = current;
    current = undefined;
    stopped?.stop();
  };
  return {
    start: ({ agentJob, kubeconfig }) => {
      stop();
      if (agentJob === undefined || kubeconfig === undefined) return;
      const start = { ...agentJob, kubeconfig };
      current = { start, stop: startAgent(start) };
    },
    stop,
    running: () => current?.start,
  };
};
