/** The agent process of a simulated Mac, as its launchd keeps it: started from what is on the disk, stopped with the power. */
import type { Secret } from '../../base/secret.ts';
import type { AgentJob, MacDisk } from './mac-disk.ts';

export interface AgentStart extends AgentJob {
  readonly kubeconfig: Secret<string>;
}

/** What the agent itself keeps on the disk: one text, which outlives it and the power, and goes with a wipe. */
export interface AgentMemory {
  read(): Promise<Secret<string> | undefined>;
  write(text: Secret<string>): Promise<void>;
}

/** Starts a node agent and returns how to stop it. Neither may throw. */
export type StartAgent = (start: AgentStart, memory: AgentMemory) => () => void;

export interface MacAgent {
  /** Starts what the disk asks for, in place of what ran. Nothing without a job or a kubeconfig. */
  start(disk: MacDisk): void;
  stop(): void;
  /** What runs, and with which credentials. */
  running(): AgentStart | undefined;
  /** Checksum of the program that runs: it was on the disk when the agent was started. */
  runningBundle(): string | undefined;
}

export const createMacAgent = (startAgent: StartAgent, onChange: () => void): MacAgent => {
  let current:
    | { readonly start: AgentStart; readonly bundle: string | undefined; readonly stop: () => void }
    | undefined;
  const stop = (): void => {
    const stopped = current;
    current = undefined;
    stopped?.stop();
  };
  return {
    start: (disk) => {
      const { agentJob, kubeconfig } = disk;
      stop();
      if (agentJob === undefined || kubeconfig === undefined) return;
      const start = { ...agentJob, kubeconfig };
      current = { start, bundle: bundleOn(disk), stop: startAgent(start, memoryOn(disk, onChange)) };
    },
    stop,
    running: () => current?.start,
    runningBundle: () => current?.bundle,
  };
};

/** The step that installs it leaves its checksum. */
const bundleOn = ({ done }: MacDisk): string | undefined =>
  [...done].find((fact) => fact.startsWith('agent-bundle '))?.split(' ')[1];

/** On this disk: an agent that a wipe stopped does not write to the next one. */
const memoryOn = (disk: MacDisk, onChange: () => void): AgentMemory => ({
  read: async () => disk.agentMemory,
  write: async (text) => {
    disk.agentMemory = text;
    onChange();
  },
});
