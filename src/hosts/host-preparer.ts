/** HostPreparer on top of sessions: which steps a piece of work consists of, and with which values. */
import { type Clock, toTimestamp } from '../base/clock.ts';
import { FleetError } from '../base/errors.ts';
import { digestSteps, type StepDigests } from './digest.ts';
import { limitUploads } from './limit-uploads.ts';
import { orderSteps } from './order-steps.ts';
import { MISSING_PASSWORD } from './plan-waves.ts';
import type { Artefact, HostPreparer, HostSession, Hosts, HostTarget, Preparation } from './port.ts';
import type { StepFiles } from './program/compose.ts';
import { runSteps } from './run-steps.ts';
import { BOOTSTRAP_STEPS, BUILDER_STEPS, RELEASE_STEPS, type Step } from './step.ts';
import type { StepsRun } from './steps-run.ts';
import { assertMayTry, fingerprintPassword, isRefused, passwordRefusedBefore, type SudoTry } from './sudo-tries.ts';

export interface HostPreparerDeps {
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly files: Pick<StepFiles, 'lib' | 'steps'>;
  /** By name: `tart`, `node`, `agent`. */
  readonly artefacts: Readonly<Record<string, Artefact>>;
  /** Of every Mac, unless its preparation says otherwise. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** One for all controllers: among themselves they are told apart by their epochs. It keeps people out, and they us (F58). */
const LOCK_OWNER = 'macfleet';

export const createHostPreparer = (deps: HostPreparerDeps): HostPreparer => {
  const { clock, files, artefacts, inputs: common = {} } = deps;
  const hosts = limitUploads(deps.hosts);
  const artefactSums = Object.fromEntries(Object.entries(artefacts).map(([name, { sha256 }]) => [name, sha256]));
  const digestsOf = (steps: readonly Step[], inputs: StepsRun['inputs']): StepDigests =>
    digestSteps({ steps: orderSteps(steps), files, inputs, artefactSums });
  // Asked for every Mac in every pass, and the same for all of a fleet: scripts and files do not change in a process's life.
  const fleetDigests = new Map<string, string>();
  return {
    digestOf: ({ fleet, inputs, role }) => {
      const key = JSON.stringify([fleet, role, Object.entries(inputs ?? {}).sort()]);
      const digest = fleetDigests.get(key) ?? digestsOf(stepsOf(role), { ...common, ...inputs, fleet }).fleet;
      fleetDigests.set(key, digest);
      return digest;
    },
    lookAtHostKey: (target, signal) => inSession({ hosts, target, signal }, async ({ hostKey }) => hostKey),
    fingerprintOf: (password, { privateKey }) => fingerprintPassword(password, privateKey),
    prepare: async (given, signal) => {
      const preparation = withoutRefused(given);
      const inputs = { ...common, ...inputsOf(preparation) };
      const steps = stepsOf(preparation.role);
      const digests = digestsOf(steps, inputs);
      await inSession({ hosts, target: preparation.target, signal }, (session) =>
        withSudoTries({ preparation, clock }, signal, (sudo) =>
          runSteps(
            {
              ...{ session, steps, clock, artefacts, inputs, ...sudo, digests: digests.byStep },
              ...{ epoch: preparation.epoch, onProgress: preparation.onProgress },
              ...{ lockOwner: LOCK_OWNER, secrets: secretsOf(preparation) },
            },
            signal,
          ),
        ),
      ).catch((error: unknown) => {
        throw preparation !== given && isPasswordMissing(error) ? passwordRefusedBefore() : error;
      });
      return { digest: digests.fleet };
    },
    stopAgent: async ({ target, epoch }, signal) => {
      // Nothing was ever sent to it, so nothing of ours runs there.
      if (target.pinnedHostKey === undefined) return;
      const nothing = { inputs: {}, secrets: {}, artefacts: {}, digests: {}, onProgress: () => undefined };
      await inSession({ hosts, target, signal }, (session) =>
        runSteps({ session, steps: RELEASE_STEPS, epoch, clock, lockOwner: LOCK_OWNER, ...nothing }, signal),
      );
    },
  };
};

interface Visit {
  readonly hosts: Hosts;
  readonly target: HostTarget;
  readonly signal: AbortSignal;
}

const inSession = async <T>(
  { hosts, target, signal }: Visit,
  work: (session: HostSession) => Promise<T>,
): Promise<T> => {
  const session = await hosts.open(target, signal);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
};

type Inputs = StepsRun['inputs'];

const inputsOf = ({ claim, nodeName, providerId, fleet, inputs }: Preparation): Inputs => ({
  ...inputs,
  ...{ claim, nodeName, providerId, fleet },
});

const stepsOf = (role: Preparation['role']): readonly Step[] => (role === 'builder' ? BUILDER_STEPS : BOOTSTRAP_STEPS);

const secretsOf = ({ kubeconfig, githubToken, sudo: { password } }: Preparation): StepsRun['secrets'] => ({
  ...(kubeconfig !== undefined && { kubeconfig }),
  ...(githubToken !== undefined && { githubToken }),
  ...(password !== undefined && { sudoPassword: password }),
});

/**
 * A password that the Mac refused is as good as none: it is neither tried again nor written down for the login, and not missed on a
 * Mac where a person has set up both with the right one (001-3).
 */
const withoutRefused = (preparation: Preparation): Preparation => {
  const { sudo, target } = preparation;
  if (sudo.password === undefined) return preparation;
  const value = fingerprintPassword(sudo.password, target.privateKey);
  return isRefused(sudo.tries, value) ? { ...preparation, sudo: { ...sudo, password: undefined } } : preparation;
};

const isPasswordMissing = (error: unknown): boolean => error instanceof FleetError && error.code === MISSING_PASSWORD;

interface Trying {
  readonly preparation: Pick<Preparation, 'sudo' | 'target'>;
  readonly clock: Clock;
}

/** Puts every use of the password on record before it is sent, and what came of it. */
const withSudoTries = async (
  { preparation, clock }: Trying,
  signal: AbortSignal,
  work: (sudo: Pick<StepsRun, 'beforeWave'>) => Promise<void>,
): Promise<void> => {
  const { password, tries, record } = preparation.sudo;
  let sent: SudoTry | undefined;
  const beforeWave: StepsRun['beforeWave'] = async (ids) => {
    if (password === undefined || !ids.includes('sudo')) return;
    const value = fingerprintPassword(password, preparation.target.privateKey);
    assertMayTry(tries, value);
    const tried: SudoTry = { value, at: toTimestamp(clock.now()), outcome: 'sent' };
    await record(tried, signal);
    sent = tried;
  };
  try {
    await work({ beforeWave });
  } catch (error) {
    const isWrong = error instanceof FleetError && error.code === 'SudoPasswordRefused';
    if (isWrong && sent !== undefined) await record({ ...sent, outcome: 'refused' }, signal);
    throw error;
  }
};
