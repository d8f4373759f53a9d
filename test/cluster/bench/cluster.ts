/** What a test of the cluster tier holds in its hands: a real Kubernetes on the loopback, and ways to speak to it. */
import type { KubeClient } from '../../../src/kube/client/client.ts';

/** Each is the one before it and more. */
export type ClusterParts = 'api' | 'kubernetes' | 'cluster-api';

export interface ClusterOptions {
  /** 'api': etcd and kube-apiserver. 'kubernetes': controllers and scheduler too. 'cluster-api': core with its webhooks too. */
  readonly parts: ClusterParts;
  /** Of kube-apiserver, controller-manager and scheduler, as `Name=true`. */
  readonly featureGates?: readonly string[];
  /** Notices a dead Node after seconds instead of minutes. */
  readonly nodeMonitoring?: 'fast';
  /** By default etcd writes to its disk without waiting for it. */
  readonly disk?: 'synced';
  /** Scheduler, controllers and core ask as fast as they can, not as slowly as they are shipped. */
  readonly clientLimits?: 'lifted';
  /** The API server forgets versions older than this; never by default. */
  readonly compactEverySeconds?: number;
  /** How long a certificate lives that its controllers sign; a year by default. They date it back by five minutes, always. */
  readonly signingSeconds?: number;
  /** What ServiceAccounts of these namespaces ask for is written to `audit.log` in the cluster's directory. */
  readonly auditNamespaces?: readonly string[];
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cluster {
  /** https://127.0.0.1:<port> */
  readonly server: string;
  readonly caPem: string;
  /** Of the administrator (group system:masters). */
  readonly kubeconfig: string;
  /** Own to this cluster: certificates, logs, data. Gone after stop. */
  readonly dir: string;
  readonly etcdUrl: string;
  /** A kubeconfig file for a user made on the spot by client certificate. */
  kubeconfigFor(user: { readonly name: string; readonly groups?: readonly string[] }): Promise<string>;
  /** Our own client as that user, the administrator by default; closed with the cluster. */
  client(kubeconfig?: string): Promise<KubeClient>;
  kubectl(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Any other binary of the bench: clusterctl, helm. */
  run(binary: string, args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Lines of bash, up to the first that fails, with the programs of the bench on the PATH. */
  script(text: string, options?: CommandOptions): Promise<CommandResult>;
  stop(): Promise<void>;
}

export interface CommandOptions {
  readonly input?: string;
  readonly kubeconfig?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}
