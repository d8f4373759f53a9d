/** Where a Pod is, as its status tells it: from the journal and from what this life knows. Pure. */
import type { FleetError } from '../../base/errors.ts';
import type { JournalEntry } from './journal-entry.ts';
import type { PodMemory } from './pod-memory.ts';
import type { PodMoment, Waiting } from './render-status.ts';

export const momentOf = (entry: JournalEntry | undefined, memory: PodMemory): PodMoment => {
  if (entry?.outcome !== undefined) return { is: 'ended', outcome: entry.outcome };
  if (memory.run !== undefined && entry?.stage === 'started') {
    const { isReady, isStarted, launching } = memory;
    const podIp = memory.podIp === undefined ? undefined : (memory.servedIp ?? memory.podIp);
    const startedMs = entry.startedMs ?? memory.run.startedAtMs;
    const known = { ...(podIp !== undefined && { podIp }), ...(launching !== undefined && { launching }) };
    return { is: 'running', startedMs, isReady, isStarted, ...known };
  }
  if (memory.stumble !== undefined) return { is: 'waiting', waiting: renderStumble(memory.stumble.error) };
  if (entry?.previous !== undefined) {
    const message = `the VM ended with code ${entry.previous.exitCode} and is made anew`;
    return { is: 'waiting', waiting: { reason: 'CrashLoopBackOff', message } };
  }
  return { is: 'waiting', waiting: memory.progress ?? { reason: 'ContainerCreating' } };
};

/** The reasons that kubectl and its users know from other Nodes. */
const WAITING_REASON: Readonly<Record<string, string>> = {
  ImageNotFound: 'ErrImagePull',
  ImagePullDenied: 'ErrImagePull',
  ImagePullFailed: 'ErrImagePull',
  ImagePullStalled: 'ErrImagePull',
  DigestMismatch: 'ErrImagePull',
  BadImageName: 'InvalidImageName',
  ImageNotPresent: 'ErrImageNeverPull',
  EnvSourceDenied: 'CreateContainerConfigError',
  EnvSourceMissing: 'CreateContainerConfigError',
  EnvSourceUnknown: 'CreateContainerConfigError',
  TokenMissing: 'CreateContainerConfigError',
};

const renderStumble = (error: FleetError): Waiting => ({
  reason: WAITING_REASON[error.code] ?? 'CreateContainerError',
  message: error.hint === undefined ? error.message : `${error.message}. ${error.hint}`,
  podReason: 'TartCreateFailed',
});
