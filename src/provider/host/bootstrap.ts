/**
 * The long work on a Mac, as operations: first a look at its SSH host key, which is pinned before anything is sent, then
 * the bootstrap under the host's epoch (R10).
 */
import type { HostTarget, Preparation, StepProgress } from '../../hosts/port.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { OperationRequest } from '../../kube/controller/operations.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import { providerIdOf } from './host-caches.ts';
import type { HostPorts } from './ports.ts';
import { sudoAccessOf } from './sudo-record.ts';

export type BootstrapProgress = readonly StepProgress[];

export type BootstrapResult =
  | { readonly kind: 'host-key'; readonly fingerprint: string }
  /** `digest` is that of the configuration, as it was verified on the Mac. */
  | { readonly kind: 'bootstrapped'; readonly finishedAtMs: number; readonly digest: string };

export type BootstrapRequest = OperationRequest<BootstrapProgress, BootstrapResult>;

export interface BootstrapJob {
  readonly ports: HostPorts;
  readonly host: MacHost;
  /** As seen live, with its password. */
  readonly server: ServerAccess;
}

const LOOK_TIMEOUT_MS = 60_000;

/** Connects once to learn the host key; nothing is run. */
export const lookAtHostKey = (job: BootstrapJob): BootstrapRequest => ({
  key: job.host.metadata.name,
  doing: 'looking at the SSH host key',
  timeoutMs: LOOK_TIMEOUT_MS,
  run: async ({ signal }) => {
    const fingerprint = await job.ports.preparer.lookAtHostKey(await targetOf(job, signal), signal);
    return { kind: 'host-key', fingerprint };
  },
});

export const bootstrapHost = (job: BootstrapJob): BootstrapRequest => ({
  key: job.host.metadata.name,
  doing: 'bootstrapping',
  timeoutMs: job.ports.settings.times.bootstrapTimeoutMs,
  run: async ({ signal, report }) => {
    const kubeconfig = await job.ports.join.issue(job.host.spec.claimRef?.name ?? '', signal);
    return prepareHost(job, { kubeconfig, report }, signal);
  },
});

/** The same for a Mac that works: what differs is changed, and its identity stays as it is. */
export const rollHost = (job: BootstrapJob): BootstrapRequest => ({
  key: job.host.metadata.name,
  doing: 'rolling',
  timeoutMs: job.ports.settings.times.bootstrapTimeoutMs,
  run: ({ signal, report }) => prepareHost(job, { kubeconfig: undefined, report }, signal),
});

const prepareHost = async (
  { ports, host, server }: BootstrapJob,
  { kubeconfig, report }: Pick<Preparation, 'kubeconfig'> & { readonly report: Preparation['onProgress'] },
  signal: AbortSignal,
): Promise<BootstrapResult> => {
  const { digest } = await ports.preparer.prepare(
    {
      target: await targetOf({ ports, host, server }, signal),
      epoch: host.spec.epoch,
      claim: host.spec.claimRef?.uid ?? '',
      nodeName: host.spec.claimRef?.name ?? '',
      providerId: providerIdOf(host),
      ...configurationOf(host),
      kubeconfig,
      sudo: sudoAccessOf(ports.client, host, server),
      onProgress: report,
    },
    signal,
  );
  return { kind: 'bootstrapped', finishedAtMs: ports.clock.now(), digest };
};

const configurationOf = ({ spec }: MacHost): Pick<Preparation, 'fleet'> => ({ fleet: spec.fleet ?? '' });

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
    const target = await targetOf(job, signal);
    await job.ports.preparer.stopAgent({ target, epoch: job.host.spec.epoch }, signal);
  },
});

const targetOf = async ({ ports, host, server }: BootstrapJob, signal: AbortSignal): Promise<HostTarget> => ({
  address: server.address,
  user: server.sshUser,
  privateKey: await ports.fleetKeys.privateKeyOf(host.spec.fleet ?? '', signal),
  pinnedHostKey: host.spec.hostKey?.fingerprint,
});
