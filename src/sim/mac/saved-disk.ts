/** The disk of a simulated Mac as text that outlives its process. */
import { Secret } from '../../base/secret.ts';
import type { AgentJob, EpochFile, MacDisk } from './mac-disk.ts';

export interface SavedDisk {
  readonly hostKey: string;
  readonly isKeyAuthorized: boolean;
  readonly password: string;
  readonly hasSudoers: boolean;
  readonly kcpassword?: readonly number[];
  readonly hostname?: string;
  readonly kubeconfig?: string;
  readonly agentJob?: AgentJob;
  readonly epochFile?: EpochFile;
  readonly done: readonly string[];
}

export const saveDisk = ({ kcpassword, hostname, kubeconfig, agentJob, epochFile, ...disk }: MacDisk): SavedDisk => ({
  ...disk,
  password: disk.password.reveal(),
  done: [...disk.done],
  ...(kcpassword === undefined ? {} : { kcpassword: [...kcpassword] }),
  ...(hostname === undefined ? {} : { hostname }),
  ...(kubeconfig === undefined ? {} : { kubeconfig: kubeconfig.reveal() }),
  ...(agentJob === undefined ? {} : { agentJob }),
  ...(epochFile === undefined ? {} : { epochFile }),
});

export const restoreDisk = ({ kcpassword, kubeconfig, ...saved }: SavedDisk): MacDisk => ({
  ...{ hostname: undefined, agentJob: undefined, epochFile: undefined },
  ...saved,
  password: new Secret(saved.password),
  done: new Set(saved.done),
  kcpassword: kcpassword === undefined ? undefined : Uint8Array.from(kcpassword),
  kubeconfig: kubeconfig === undefined ? undefined : new Secret(kubeconfig),
});
