/**
 * Whether a password may be tried on a Mac (000-2, 000-3). PAM counts wrong ones and locks the account; so each value is
 * tried once, and after a few values no more. What was tried is put on record before it is sent, and outlives the process.
 */
import { createHmac } from 'node:crypto';
import { FleetError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';

export interface SudoTry {
  /** A fingerprint of the password, which nobody can turn back without the fleet's private key. */
  readonly value: string;
  readonly at: string;
  /** `sent`: its answer never came. */
  readonly outcome: 'sent' | 'refused';
}

/** One less than locks an account. */
const TRIES_MAX = 4;
/** A try whose answer was lost may never have reached the Mac. */
const TRIES_WITHOUT_ANSWER_MAX = 2;
const FINGERPRINT_LENGTH = 16;

export const fingerprintPassword = (password: Secret<string>, privateKey: Secret<string>): string =>
  createHmac('sha256', privateKey.reveal()).update(password.reveal()).digest('hex').slice(0, FINGERPRINT_LENGTH);

/** Whether the Mac itself has said that it is wrong. */
export const isRefused = (tries: readonly SudoTry[], value: string): boolean =>
  tries.some((tried) => tried.value === value && tried.outcome === 'refused');

/** Throws `denied` for a password that must not be tried. `tries` are those since the Mac was wiped. */
export const assertMayTry = (tries: readonly SudoTry[], value: string): void => {
  const same = tries.filter((tried) => tried.value === value);
  if (isRefused(tries, value)) throw passwordRefusedBefore();
  if (same.length >= TRIES_WITHOUT_ANSWER_MAX) throw passwordRefusedBefore();
  if (tries.length >= TRIES_MAX) throw triesSpent(tries.length);
};

const ADVICE =
  'Look up the password at Scaleway, or run `macfleet prepare-fleet-host` with the right one, or release the Mac, which wipes it.';

export const passwordRefusedBefore = (): FleetError =>
  new FleetError('denied', {
    code: 'SudoPasswordRefused',
    message: "the Mac refused the password that is known for its user, and wasn't asked again",
    hint: ADVICE,
  });

const triesSpent = (count: number): FleetError =>
  new FleetError('denied', {
    code: 'SudoTriesSpent',
    message: `${count} passwords were tried on the Mac; one more may lock its account`,
    hint: ADVICE,
    details: { count },
  });
