/** When a certificate is good, and when to replace it. */
import { createHash } from 'node:crypto';

export interface Validity {
  readonly notBeforeMs: number;
  /** The last moment at which it is valid. */
  readonly notAfterMs: number;
}

export const isNotYetValid = ({ notBeforeMs }: Validity, atMs: number): boolean => atMs < notBeforeMs;

export const isExpired = ({ notAfterMs }: Validity, atMs: number): boolean => atMs > notAfterMs;

/** As kubelet does: somewhere between 70 % and 90 % of its life. */
const EARLIEST = 0.7;
const SPREAD = 0.2;

/**
 * When to ask for the next certificate. The jitter comes from the serial: a fleet that was issued at once spreads out,
 * and a restart neither moves the time nor needs to remember it.
 */
export const renewalTimeMs = ({ notBeforeMs, notAfterMs, serial }: Validity & { readonly serial: string }): number => {
  const jitter = createHash('sha256').update(serial).digest().readUInt32BE(0) / 2 ** 32;
  return notBeforeMs + Math.floor((notAfterMs - notBeforeMs) * (EARLIEST + SPREAD * jitter));
};

/**
 * The same for one that just came: a signer that dates back may leave it less to live than it has behind it, and then what is left is its
 * life. Otherwise the next would be due as soon as it came, for ever.
 */
export const renewalTimeOfNewMs = (certificate: Validity & { readonly serial: string }, nowMs: number): number => {
  const { notBeforeMs, notAfterMs } = certificate;
  if (nowMs - notBeforeMs <= notAfterMs - nowMs) return renewalTimeMs(certificate);
  return renewalTimeMs({ ...certificate, notBeforeMs: Math.min(nowMs, notAfterMs) });
};
