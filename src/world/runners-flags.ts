/** The flags of bin/runners.ts, read. Their names are in runners-flags-table.ts. */
import { FleetError } from '../base/errors.ts';
import { argsFromEnv, createFlagCommand, type Env, judgeOthers } from '../base/flags/flag-command.ts';
import type { BindAddress } from '../base/flags/flag-values.ts';
import type { LeaseTimes } from '../kube/manager/leader-lease.ts';
import type { GuestSettings } from '../runners/pool/render-runner.ts';
import type { LeaseFlags } from './manager-flags.ts';
import { RUNNERS_FLAG_GROUPS } from './runners-flags-table.ts';

export interface RunnersFlags {
  readonly kubeconfig: string | undefined;
  readonly namespace: string;
  /** Undefined: this process acts as if it were alone. */
  readonly lease: LeaseFlags | undefined;
  readonly metrics: BindAddress | 'off';
  readonly probes: BindAddress | 'off';
  readonly guests: GuestSettings;
  readonly sessionsUrl: string | undefined;
  readonly scalingUrl: string | undefined;
  readonly tokenFile: string;
  /** What was said to no effect, as sentences for the log. */
  readonly notes: readonly string[];
}

/** By commander's names. */
interface Said {
  readonly kubeconfig?: string;
  readonly namespace: string;
  readonly leaderElect: boolean;
  readonly leaseNamespace?: string;
  readonly leaseProfile: { readonly times: LeaseTimes | undefined };
  readonly dispatchUrl?: string;
  readonly sessionsUrl?: string;
  readonly scalingSignalsUrl?: string;
  readonly dispatchTokenFile: string;
  readonly clusterDnsIp: string;
  readonly clusterDomain: string;
  readonly metricsBindAddress: BindAddress | 'off';
  readonly healthProbeBindAddress: BindAddress | 'off';
}

/** Prints help and ends the process where the arguments ask for that. */
export const parseRunnersFlags = (args: readonly string[], env: Env = {}): RunnersFlags => {
  const is = 'keeps pools of single-job runners on Macs';
  const command = createFlagCommand({ name: 'runners', is, groups: RUNNERS_FLAG_GROUPS });
  const said = command.parse([...argsFromEnv(RUNNERS_FLAG_GROUPS, env), ...args], { from: 'user' }).opts<Said>();
  const { dispatchUrl, clusterDnsIp: ip, clusterDomain: domain } = said;
  if (dispatchUrl === undefined)
    throw new FleetError('invalid', {
      code: 'NoDispatchUrl',
      message: 'guests must be told where to ask for jobs',
      hint: 'Say --dispatch-url, or set TUIST_RUNNER_DISPATCH_URL.',
    });
  return {
    kubeconfig: said.kubeconfig,
    namespace: said.namespace,
    lease: said.leaderElect ? { namespace: said.leaseNamespace, ...said.leaseProfile } : undefined,
    metrics: said.metricsBindAddress,
    probes: said.healthProbeBindAddress,
    guests: { dispatchUrl, ...(ip === '' ? {} : { clusterDns: { ip, domain } }) },
    sessionsUrl: said.sessionsUrl,
    scalingUrl: said.scalingSignalsUrl,
    tokenFile: said.dispatchTokenFile,
    notes: judgeOthers(command, RUNNERS_FLAG_GROUPS),
  };
};
