/** The disk of a simulated Mac as text that outlives its process. */
import { z } from 'zod';
import { Secret } from '../../base/secret.ts';
import type { MacDisk } from './mac-disk.ts';

const AGENT_JOB = z.strictObject({ nodeName: z.string(), providerId: z.string(), fleet: z.string() });
const EPOCH_FILE = z.strictObject({ claim: z.string(), epoch: z.number() });
const LOCK = z.strictObject({ owner: z.string(), expiresAtMs: z.number() });

export const SAVED_DISK = z.strictObject({
  hostKey: z.string().min(1),
  isKeyAuthorized: z.boolean(),
  password: z.string(),
  hasSudoers: z.boolean(),
  kcpassword: z.array(z.int().min(0).max(255)).optional(),
  hostname: z.string().optional(),
  kubeconfig: z.string().optional(),
  agentJob: AGENT_JOB.optional(),
  agentMemory: z.string().optional(),
  epochFile: EPOCH_FILE.optional(),
  lock: LOCK.optional(),
  done: z.array(z.string()),
  recorded: z.record(z.string(), z.string()).optional(),
  artefacts: z.array(z.string()).optional(),
});

export type SavedDisk = z.infer<typeof SAVED_DISK>;

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
