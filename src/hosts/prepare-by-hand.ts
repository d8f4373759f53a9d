/**
 * What a person does to a Mac before a controller can (001-3): sudo without a password, and automatic login, with the file
 * that macOS may have sealed read back. Only on a Mac that no controller holds, unless forced; it leaves no claim, so that a
 * controller takes the Mac up as it would any other.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { FleetError, isKind } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { SEALED_PASSWORD } from '../macos/kcpassword.ts';
import { hostHeld } from './port/session-errors.ts';
import type { HostSession, Hosts, HostTarget, StepProgress } from './port.ts';
import { runSteps } from './run-steps.ts';
import { BOOTSTRAP_STEPS, type Step } from './step.ts';

export interface HandPreparation {
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly target: Omit<HostTarget, 'pinnedHostKey'>;
  readonly password: Secret<string>;
  /** `forced`: although a controller holds the Mac. */
  readonly epoch: 'by-hand' | 'forced';
  /** Who works, for others who come meanwhile. */
  readonly owner: string;
  /** Told once, before anything is sent. */
  readonly onHostKey: (fingerprint: string) => void;
  readonly onProgress: (steps: readonly StepProgress[]) => void;
}

/** Of the bootstrap's steps those that need a person, because they need a password that the controller may not know. */
const IDS = ['sudo', 'auto-login'];

const HAND_STEPS: readonly Step[] = BOOTSTRAP_STEPS.filter(({ id }) => IDS.includes(id)).map((step) => ({
  ...step,
  needs: step.needs.filter((need) => IDS.includes(need)),
}));

/** Rejects with what stopped it; each step that was done stays done, and a repetition finds it so. */
export const prepareByHand = async (work: HandPreparation, signal: AbortSignal): Promise<void> => {
  const { hosts, clock, epoch, password, owner, onProgress } = work;
  assertUsable(password);
  const pinnedHostKey = await lookForHost(work, signal);
  work.onHostKey(pinnedHostKey);
  const session = await hosts.open({ ...work.target, pinnedHostKey }, signal);
  try {
    if (epoch === 'by-hand') await assertFree(session, signal);
    const nothing = { inputs: {}, artefacts: {}, digests: {} };
    const secrets = { sudoPassword: password };
    await runSteps(
      { session, steps: HAND_STEPS, epoch, lockOwner: owner, clock, onProgress, secrets, ...nothing },
      signal,
    );
  } finally {
    await session.close();
  }
};

const assertUsable = (password: Secret<string>): void => {
  const text = password.reveal();
  if (text !== '' && !text.includes(SEALED_PASSWORD)) return;
  throw new FleetError('invalid', {
    code: 'PasswordSealed',
    message:
      text === '' ? 'the password is empty' : `${SEALED_PASSWORD} is what stands in place of a password, not one`,
    hint: 'Reinstall the Mac at Scaleway to get a new password, and read it within the time that it is shown.',
  });
};

const PROBES_MAX = 5;
const PROBE_PAUSE_MS = 5_000;

/** The fingerprint that the host shows; it may be booting. */
const lookForHost = async ({ hosts, target, clock }: HandPreparation, signal: AbortSignal): Promise<string> => {
  for (let probe = 1; ; probe += 1) {
    try {
      const session = await hosts.open({ ...target, pinnedHostKey: undefined }, signal);
      await session.close();
      return session.hostKey;
    } catch (error) {
      if (!isKind(error, 'unavailable') || probe === PROBES_MAX) throw error;
    }
    await sleep(clock, PROBE_PAUSE_MS, signal);
  }
};

const FREE_TIMEOUT_MS = 30_000;

/** A Mac of the Go original has no epoch, but an agent. */
const assertFree = async (session: HostSession, signal: AbortSignal): Promise<void> => {
  const call = { step: 'stop-agent', do: 'check', inputs: {}, secrets: {}, digest: '' } as const;
  const { steps } = await session.run({ epoch: 'by-hand', calls: [call], timeoutMs: FREE_TIMEOUT_MS }, signal);
  const [answer] = steps;
  if (answer?.phases.at(-1)?.exitCode !== 0) throw hostHeld('its agent is installed');
};
