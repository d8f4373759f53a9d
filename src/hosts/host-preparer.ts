/** HostPreparer on top of sessions: which steps a piece of work consists of, and with which values. */
import type { Clock } from '../base/clock.ts';
import type { Secret } from '../base/secret.ts';
import type { HostPreparer, HostSession, Hosts, HostTarget, Preparation } from './port.ts';
import { runSteps } from './run-steps.ts';
import { BOOTSTRAP_STEPS, RELEASE_STEPS } from './step.ts';

export interface HostPreparerDeps {
  readonly hosts: Hosts;
  readonly clock: Clock;
}

export const createHostPreparer = ({ hosts, clock }: HostPreparerDeps): HostPreparer => {
  const inSession = async <T>(
    target: HostTarget,
    signal: AbortSignal,
    work: (session: HostSession) => Promise<T>,
  ): Promise<T> => {
    const session = await hosts.open(target, signal);
    try {
      return await work(session);
    } finally {
      await session.close();
    }
  };
  return {
    lookAtHostKey: (target, signal) => inSession(target, signal, ({ hostKey }) => Promise.resolve(hostKey)),
    prepare: ({ target, epoch, onProgress, ...preparation }, signal) =>
      inSession(target, signal, (session) =>
        runSteps({ session, steps: BOOTSTRAP_STEPS, epoch, clock, onProgress, ...valuesOf(preparation) }, signal),
      ),
    stopAgent: async ({ target, epoch }, signal) => {
      // Nothing was ever sent to it, so nothing of ours runs there.
      if (target.pinnedHostKey === undefined) return;
      await inSession(target, signal, (session) =>
        runSteps(
          { session, steps: RELEASE_STEPS, epoch, clock, inputs: {}, secrets: {}, onProgress: () => undefined },
          signal,
        ),
      );
    },
  };
};

interface Values {
  readonly inputs: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, Secret<string>>>;
}

const valuesOf = (preparation: Omit<Preparation, 'target' | 'epoch' | 'onProgress'>): Values => {
  const { nodeName, providerId, fleet, kubeconfig, sudoPassword, claim } = preparation;
  return {
    inputs: { claim, nodeName, providerId, fleet },
    secrets: { kubeconfig, ...(sudoPassword !== undefined && { sudoPassword }) },
  };
};
