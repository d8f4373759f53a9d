/**
 * The long work on a Mac, as operations: first a look at its SSH host key, which is pinned before anything is sent, then
 * the bootstrap under the host's epoch (R10).
 */
import type { HostTarget, StepProgress } from '../../hosts/port.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { OperationRequest } from '../../kube/controller/operations.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import { providerIdOf } from './host-caches.ts';
import type { HostPorts } from './ports.ts';

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
    const { ports, host, server } = job;
    const nodeName = host.spec.claimRef?.name ?? '';
    const { digest } = await ports.preparer.prepare(
      {
        target: await targetOf(job, signal),
        epoch: host.spec.epoch,
        claim: host.spec.claimRef?.uid ?? '',
        nodeName,
        providerId: providerIdOf(host),
        fleet: host.spec.fleet ?? '',
        kubeconfig: await ports.join.issue(nodeName, signal),
        // The budget in spec.budgets.sudo is not kept yet: every operation begins with none spent.
        sudo: { password: server.sudoPassword, tries: [], record: async () => undefined },
        onProgress: report,
      },
      signal,
    );
    return { kind: 'bootstrapped', finishedAtMs: ports.clock.now(), digest };
  },
});

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
