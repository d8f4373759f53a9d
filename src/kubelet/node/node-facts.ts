/** What is said of a Node: once at the start (facts), and as it changes (state). Data alone; node-object.ts makes a Node of it. */

/** What stays the same while the agent lives. */
export interface NodeFacts {
  readonly nodeName: string;
  /** Empty: whoever registered the Node says it, or nobody. */
  readonly providerId: string;
  /** From the flags, besides those that every Mac has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: NodeCapacity;
  /** Where the Mac is reached; undefined when nobody knows. */
  readonly address: string | undefined;
  /** Where the agent serves what a kubelet serves, if it does. */
  readonly servingPort: number | undefined;
  readonly system: NodeSystem;
}

export interface NodeCapacity {
  readonly cpu: number;
  readonly memoryMib: number;
  readonly pods: number;
}

/** What the Mac is and runs. */
export interface NodeSystem {
  readonly osImage: string;
  readonly kernelVersion: string;
  readonly machineId: string;
  readonly systemUuid: string;
  /** Another one after each start of the Mac. */
  readonly bootId: string;
  readonly agentVersion: string;
  readonly runtimeVersion: string;
}

/** One thing that was looked at. `unknown`: nobody could look, so what was said before is not contradicted, unless with a reason that is told. */
export type Finding =
  | { readonly is: 'well' }
  | { readonly is: 'ill'; readonly reason: string; readonly message: string }
  | { readonly is: 'unknown'; readonly reason?: string; readonly message: string };

export const CONCERNS = ['disk', 'memory', 'pids', 'guiSession', 'tart', 'autoLogin'] as const;
export type Concern = (typeof CONCERNS)[number];

/** What may change at any time. */
export interface NodeState {
  readonly findings: Readonly<Record<Concern, Finding>>;
  /** Besides those of the flags; they come and go. */
  readonly dynamicLabels: Readonly<Record<string, string>>;
  /** Of the filesystem that VMs lie on; undefined when it cannot be measured. */
  readonly diskTotalBytes: number | undefined;
  readonly runningVms: number;
  /** The Mac shuts down or restarts. */
  readonly goesDown?: true;
}
