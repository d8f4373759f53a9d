/** The flags of every command that asks a cluster: which one, what of it, and how to show it. */
import { type Command, Option } from 'commander';

export const OUTPUTS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Output = (typeof OUTPUTS)[number];

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Absent: all of them, or for a single object the one of the context. */
  readonly namespace?: string;
}

export interface OutputFlags {
  readonly output: Output;
}

/** What a Mac answers to (find-object.ts), for the help of every command that takes one. */
export const HOST_NAMES = 'its id or the beginning of it, its machine or Node, or its name at Scaleway';

const CLUSTER_FLAGS_GROUP = 'Which cluster:';

/** For a command that means all of a cluster. */
export const addContextFlags = (command: Command): Command =>
  command
    .optionsGroup(CLUSTER_FLAGS_GROUP)
    .option('--context <name>', 'instead of the current context')
    .option('--kubeconfig <file>', 'instead of KUBECONFIG and ~/.kube/config');

export const addClusterFlags = (command: Command): Command =>
  addContextFlags(command).option('-n, --namespace <name>', 'only this namespace');

export const addOutputFlag = (command: Command, outputs: readonly Output[] = OUTPUTS): Command =>
  command.addOption(new Option('-o, --output <format>', 'how to show it').choices(outputs).default('table'));
