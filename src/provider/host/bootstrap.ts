/**
 * The long work on a Mac, as operations under the host's epoch (R10). Its SSH host key is looked at once after each wipe, and
 * pinned on the record before anything is sent.
 */
import { withTimeLimit } from '../../base/abort.ts';
import { parseTimestamp } from '../../base/clock.ts';
import { FleetError, toFleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { HostTarget, Preparation, StepProgress } from '../../hosts/port.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { OperationRequest } from '../../kube/controller/operations.ts';
import { renderKey } from '../../kube/types/meta.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import { changeRecord } from './change-record.ts';
import { providerIdOf } from './host-caches.ts';
import { paceProgress } from './pace-progress.ts';
import { KEY_MISSING, LOCKED_OUT } from './plan-recovery.ts';
import type { HostPorts, HostRunner, Joiner } from './ports.ts';
import { recordSighting, type Sighting } from './sighting.ts';
import { type AnnouncedTries, sudoAccessOf } from './sudo-record.ts';

export interface BootstrapProgress {
  readonly steps: readonly StepProgress[];
  /** The server as it was when the work began. */
  readonly server: Sighting;
}

export interface BootstrapResult {
  readonly finishedAtMs: number;
  /** Of the configuration, as it was verified on the Mac. */
  readonly digest: string;
}

export type BootstrapRequest = OperationRequest<BootstrapProgress, BootstrapResult>;

export interface BootstrapJob {
  readonly ports: HostPorts;
  readonly host: MacHost;
  /** As seen live, with its password. */
  readonly server: ServerAccess;
  readonly announced?: AnnouncedTries;
}

/** What is learnt of a Mac before anything is sent to it. */
export interface Acquaintance {
  /** Fingerprint of its SSH host key. */
  readonly hostKey: string;
  /** Of the password that Scaleway shows for it; absent when it shows none. */
  readonly password?: string;
}

const LOOK_TIMEOUT_MS = 60_000;

/** Learns the host key while there is nothing else to do; nothing is run. */
export const lookAtHostKey = (job: BootstrapJob): OperationRequest<never, Acquaintance> => ({
  key: job.host.metadata.name,
  doing: LOOKING,
  timeoutMs: LOOK_TIMEOUT_MS,
  run: async ({ signal }) => {
    const { preparer } = job.ports;
    const { sudoPassword } = job.server;
    const target = await targetOf(job, signal);
    const hostKey = await preparer.lookAtHostKey(target, signal);
    return { hostKey, ...(sudoPassword && { password: preparer.fingerprintOf(sudoPassword, target) }) };
  },
});

const LOOKING = 'looking at the SSH host key';

export const bootstrapHost = (job: BootstrapJob): BootstrapRequest => ({
  key: job.host.metadata.name,
  doing: 'bootstrapping',
  timeoutMs: job.ports.settings.times.bootstrapTimeoutMs,
  run: async ({ signal, report }) => {
    try {
      const target = await pinnedTargetOf(job, signal);
      const kubeconfig = await issueIdentity(job, signal);
      const githubToken = await notItsFault(registrationOf(job, signal));
      return await prepareHost(job, { target, kubeconfig, githubToken, report }, signal);
    } catch (error) {
      throw await explainLockout(job, toFleetError(error), signal);
    }
  },
});

/** A Mac that was installed before its fleet had a key does not know it, which is no fault of the Mac's (001-4, F41). */
const explainLockout = async ({ ports, host }: BootstrapJob, error: FleetError, signal: AbortSignal) => {
  if (error.code !== LOCKED_OUT) return error;
  const knownSinceMs = await ports.fleetKeys.knownSince(host.spec.fleet ?? '', signal);
  const installedMs = parseTimestamp(host.spec.reinstall?.requestedAt) ?? Number.NEGATIVE_INFINITY;
  if (knownSinceMs === undefined || installedMs > knownSinceMs) return error;
  return new FleetError(error.kind, {
    code: KEY_MISSING,
    message: `it was installed before the key of its fleet was known, and does not let us in: ${error.message}`,
    hint: 'Nothing to do: after a few more tries it is installed anew, with the key.',
    cause: error,
  });
};

const issueIdentity = ({ ports, host }: BootstrapJob, signal: AbortSignal): Promise<Secret<string>> =>
  notItsFault(ports.join.issue(joinerOf(host), signal));

const joinerOf = ({ metadata, spec }: MacHost): Joiner => ({
  ...{ machine: spec.claimRef ?? NOBODY, host: metadata.name, uid: metadata.uid ?? '' },
  ...{ wipes: spec.wipes, epoch: spec.epoch },
});

/** What the last operation brought, or was about to bring: the next one brings its own, or the Mac is given back (R23). */
export const withdrawIdentity = async (
  { join }: Pick<HostPorts, 'join'>,
  host: MacHost,
  signal: AbortSignal,
): Promise<void> => {
  if (host.spec.epoch > 0) await join.withdraw?.(joinerOf(host), signal);
};

const NOBODY = { namespace: '', name: '' };

/** One that was taken over has the identity that somebody else gave it, until it has one of ours (R28). */
const isStranger = ({ spec, status }: MacHost): boolean =>
  spec.takenOver === true && spec.identity === undefined && status?.configHash === undefined;

/** The same for a Mac that works: what differs is changed, and its identity stays as it is, unless it is not from us. */
export const rollHost = (job: BootstrapJob): BootstrapRequest => ({
  key: job.host.metadata.name,
  doing: 'rolling',
  timeoutMs: job.ports.settings.times.bootstrapTimeoutMs,
  run: async ({ signal, report }) => {
    const target = await pinnedTargetOf(job, signal);
    const kubeconfig = isStranger(job.host) ? await issueIdentity(job, signal) : undefined;
    return prepareHost(job, { target, kubeconfig, githubToken: undefined, report }, signal);
  },
});

const prepareHost = async (
  job: BootstrapJob,
  { target, kubeconfig, githubToken, report }: Outfit,
  signal: AbortSignal,
): Promise<BootstrapResult> => {
  const { ports, host, server } = job;
  const seen = recordSighting(server, ports.clock.now());
  const progress = paceProgress<BootstrapProgress['steps']>(ports.clock, (steps) => report({ steps, server: seen }));
  const preparing = ports.preparer.prepare(
    {
      target,
      epoch: host.spec.epoch,
      claim: claimMarkOf(host),
      nodeName: host.spec.claimRef?.name ?? '',
      providerId: providerIdOf(host),
      ...withTakeover(configurationOf(host), host),
      kubeconfig,
      ...(githubToken === undefined ? {} : { githubToken }),
      sudo: sudoAccessOf(job),
      onProgress: progress.report,
    },
    signal,
  );
  const { digest } = await preparing.finally(progress.stop);
  return { finishedAtMs: ports.clock.now(), digest };
};

/** What the Mac knows its machine by: as it is called everywhere, because a move to another cluster gives it another UID (R17). */
const claimMarkOf = ({ spec }: MacHost): string => (spec.claimRef === undefined ? '' : renderKey(spec.claimRef));

interface Credentials extends Pick<Preparation, 'kubeconfig'> {
  readonly githubToken: Preparation['githubToken'] | undefined;
}

interface Outfit extends Credentials {
  readonly target: HostTarget;
  report(progress: BootstrapProgress): void;
}

const configurationOf = ({ spec }: MacHost): Pick<Preparation, 'fleet' | 'role' | 'inputs'> => {
  const { hostCPU, hostMemoryMB, ghActionsRunner: runner } = spec.configuration ?? {};
  return {
    fleet: spec.fleet ?? '',
    role: runner === undefined ? 'node' : 'builder',
    inputs: {
      ...(hostCPU ? { hostCpu: String(hostCPU) } : {}),
      ...(hostMemoryMB ? { hostMemoryMb: String(hostMemoryMB) } : {}),
      ...(runner === undefined ? {} : builderInputsOf(runner)),
    },
  };
};

/** A builder makes images with VMs that no Pod stands for: nobody may tidy them away. */
const builderInputsOf = ({ ghOrg, ghRunnerLabels, ghRunnerVersion }: HostRunner): Readonly<Record<string, string>> => ({
  ...{ githubOrg: ghOrg, runnerLabels: ghRunnerLabels, runnerVersion: ghRunnerVersion, disableVmGc: 'yes' },
});

/** Undefined for a Mac that is no builder. */
const registrationOf = async (
  { ports, host }: BootstrapJob,
  signal: AbortSignal,
): Promise<Credentials['githubToken']> => {
  const runner = host.spec.configuration?.ghActionsRunner;
  if (runner === undefined) return undefined;
  const { runnerUnavailable: code } = CODES;
  if (ports.runners === undefined) {
    const hint = 'Start the manager with a way to GitHub, or take ghActionsRunner off the machine.';
    throw new FleetError('invalid', {
      code,
      message: 'this manager has no way to GitHub, and a builder needs one',
      hint,
    });
  }
  try {
    return await ports.runners.registrationToken({ namespace: host.spec.claimRef?.namespace ?? '', runner }, signal);
  } catch (cause) {
    const { kind, message, hint = '' } = toFleetError(cause);
    throw new FleetError(kind, { code, message: `no token to register the builder with: ${message}`, hint, cause });
  }
};

const CODES = { runnerUnavailable: REASONS.machine.bootstrapped.runnerTokenUnavailable } as const;

/** Whether it says nothing about the Mac. */
export const isBlameless = ({ details }: FleetError): boolean => details['blames'] === 'nobody';

/** What fails before anything was asked of the Mac says nothing about it: such a failure is not counted against it. */
const notItsFault = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (thrown) {
    const { kind, code, message, hint = '', details, cause } = toFleetError(thrown);
    throw new FleetError(kind, { code, message, hint, details: { ...details, blames: 'nobody' }, cause });
  }
};

/** Its marks are those of its own earlier life: no reason to take it for one that was not wiped (R9, R28). */
const withTakeover = <T extends Pick<Preparation, 'inputs'>>(configuration: T, { spec }: MacHost): T =>
  spec.takenOver === true ? { ...configuration, inputs: { ...configuration.inputs, takeover: 'yes' } } : configuration;

/** Fingerprint of the configuration that this manager wants on the Mac (004-5). */
export const wantedHashOf = ({ preparer }: Pick<HostPorts, 'preparer'>, host: MacHost): string =>
  preparer.digestOf(configurationOf(host));

const STOP_TIMEOUT_MS = 60_000;

/** Best effort: a Mac about to be wiped need not answer any more. */
export const stopAgent = (job: BootstrapJob): OperationRequest<never, void> => ({
  key: job.host.metadata.name,
  doing: 'stopping the agent',
  timeoutMs: STOP_TIMEOUT_MS,
  run: async ({ signal }) => {
    await withdrawIdentity(job.ports, job.host, signal);
    const target = await targetOf(job, signal);
    await job.ports.preparer.stopAgent({ target, epoch: job.host.spec.epoch }, signal);
  },
});

/** Connects once to learn the host key, if none is pinned yet; nothing is run. */
const pinnedTargetOf = async (job: BootstrapJob, signal: AbortSignal): Promise<HostTarget> => {
  const { ports, host } = job;
  const target = await targetOf(job, signal);
  if (target.pinnedHostKey !== undefined) return target;
  const limit = { clock: ports.clock, timeoutMs: LOOK_TIMEOUT_MS, signal, doing: LOOKING };
  const fingerprint = await withTimeLimit(limit, (limited) => ports.preparer.lookAtHostKey(target, limited));
  await changeRecord(ports.client, host, { signal, change: ({ wipes }) => ({ hostKey: { fingerprint, wipes } }) });
  return { ...target, pinnedHostKey: fingerprint };
};

const targetOf = async ({ ports, host, server }: BootstrapJob, signal: AbortSignal): Promise<HostTarget> => ({
  address: server.address,
  user: server.sshUser,
  privateKey: await notItsFault(ports.fleetKeys.privateKeyOf(host.spec.fleet ?? '', signal)),
  pinnedHostKey: host.spec.hostKey?.fingerprint,
});
