/** The disk of a simulated Mac as text that outlives its process. */
import { Secret } from '../../base/secret.ts';
import type { AgentJob, EpochFile, MacDisk, MacLock } from './mac-disk.ts';

export interface SavedDisk {
  readonly hostKey: string;
  readonly isKeyAuthorized: boolean;
  readonly password: string;
  readonly hasSudoers: boolean;
  readonly kcpassword?: readonly number[];
  readonly hostname?: string;
  readonly kubeconfig?: string;
  readonly agentJob?: AgentJob;
  readonly agentMemory?: string;
  readonly epochFile?: EpochFile;
  readonly lock?: MacLock;
  readonly done: readonly string[];
  readonly recorded?: Readonly<Record<string, string>>;
  readonly artefacts?: readonly string[];
}

export const saveDisk = (saved: MacDisk): SavedDisk => {
  const { kcpassword, hostname, kubeconfig, agentJob, agentMemory, epochFile, lock, ...disk } = saved;
  return {
    ...disk,
    password: disk.password.reveal(),
    done: [...disk.done],
    recorded: Object.fromEntries(disk.recorded),
    artefacts: [...disk.artefacts],
    ...(kcpassword === undefined ? {} : { kcpassword: [...kcpassword] }),
    ...(hostname === undefined ? {} : { hostname }),
    ...(kubeconfig === undefined ? {} : { kubeconfig: kubeconfig.reveal() }),
    ...(agentJob === undefined ? {} : { agentJob }),
    ...(agentMemory === undefined ? {} : { agentMemory: agentMemory.reveal() }),
    ...(epochFile === undefined ? {} : { epochFile }),
    ...(lock === undefined ? {} : { lock }),
  };
};

export const restoreDisk = ({ kcpassword, kubeconfig, agentMemory, ...saved }: SavedDisk): MacDisk => ({
  ...{ hostname: undefined, agentJob: undefined, epochFile: undefined, lock: undefined },
  ...saved,
  password: new Secret(saved.password),
  done: new Set(saved.done),
  recorded: new Map(Object.entries(saved.recorded ?? {})),
  artefacts: new Set(saved.artefacts),
  kcpassword: kcpassword === undefined ? undefined : Uint8Array.from(kcpassword),
  kubeconfig: kubeconfig === undefined ? undefined : new Secret(kubeconfig),
  agentMemory: agentMemory === undefined ? undefined : new Secret(agentMemory),
});
