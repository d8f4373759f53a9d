/**
 * Who we are to an API server, kept fresh: loaded once, again when they grow old and when the server refuses them, by
 * one look at a time. Nobody waits long for newer ones while those at hand are good: whoever issues them may be away. Where they come from is the loader's business (load-credentials.ts).
 */
import { X509Certificate } from 'node:crypto';
import { abortable, neverAborted, withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Secret } from '../../../base/secret.ts';

export interface ClientCertificate {
  readonly certificatePem: string;
  readonly keyPem: Secret<string>;
}

/** A server gets all that is set. */
export interface Credentials {
  readonly token?: Secret<string>;
  readonly certificate?: ClientCertificate;
}

export interface CredentialsSource {
  /** What to show now. Cheap: asked before every request. */
  current(signal: AbortSignal): Promise<Credentials>;
  /** The server answered 401 to `refused`. Gives newer ones, or the same object when there are none. */
  renew(refused: Credentials, signal: AbortSignal): Promise<Credentials>;
}

export interface LoadedCredentials {
  readonly credentials: Credentials;
  /** Wall clock time after which the server takes them no more, where that is known. */
  readonly expiresAtMs?: number;
  /** Wall clock time from which newer ones are to be had; absent: shortly before they expire. */
  readonly renewAtMs?: number;
}

export interface CachedCredentialsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reads them from where they are kept. */
  readonly load: (signal: AbortSignal) => Promise<LoadedCredentials>;
  /** Files change under us without notice, so they are looked at again after this long. Absent: only when they expire. */
  readonly freshForMs?: number;
}

/** Renewed this long before they expire, because our clock and the server's differ. */
const EXPIRY_MARGIN_MS = 30_000;
/** Neither a server that refuses everybody nor a source that fails makes us look at every request. */
const LOOKING_GAP_MS = 10_000;
const LOAD_TIMEOUT_MS = 60_000;
/** Files are read within this; an issuer may need longer, and is not waited for while the old ones are good. */
const PATIENCE_MS = 1_000;

interface Held extends LoadedCredentials {
  /** `clock.elapsed()` of the last look. */
  readonly lookedAtMs: number;
  /** Newer ones were due at that look already, and there were none. */
  readonly wasDue: boolean;
}

/** A failed look is reported and the old credentials stay in use until they expire. */
export const cachedCredentials = ({ clock, logger, load, freshForMs }: CachedCredentialsDeps): CredentialsSource => {
  let held: Held | undefined;
  let looking: Promise<Held> | undefined;

  const isExpired = ({ expiresAtMs = Number.POSITIVE_INFINITY }: Held): boolean => clock.now() >= expiresAtMs;

  const isDue = ({ expiresAtMs = Number.POSITIVE_INFINITY, renewAtMs }: LoadedCredentials): boolean =>
    clock.now() >= (renewAtMs ?? expiresAtMs - EXPIRY_MARGIN_MS);

  /** Just looked at is fresh enough, even if close to its end: looking again would find the same. */
  const isFresh = (candidate: Held): boolean => {
    if (isDue(candidate) && !candidate.wasDue) return false;
    const ageMs = clock.elapsed() - candidate.lookedAtMs;
    return ageMs < LOOKING_GAP_MS || (!isDue(candidate) && ageMs < (freshForMs ?? Number.POSITIVE_INFINITY));
  };

  const lookedAt = (loaded: LoadedCredentials): Held => ({
    ...loaded,
    lookedAtMs: clock.elapsed(),
    wasDue: isDue(loaded),
  });

  const look = async (): Promise<Held> => {
    const earlier = held;
    try {
      const deadline = { clock, timeoutMs: LOAD_TIMEOUT_MS, signal: neverAborted(), doing: 'loading credentials' };
      const loaded = await withDeadline(deadline, load);
      held = lookedAt(earlier === undefined ? loaded : keepIfSame(earlier, loaded));
    } catch (error) {
      if (earlier === undefined || isExpired(earlier)) throw error;
      logger.warn('Keeping the old credentials, because new ones could not be loaded', { error });
      held = lookedAt(earlier);
    }
    return held;
  };

  const lookOnce = (signal: AbortSignal): Promise<Held> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return abortable(looking, signal);
  };

  return {
    current: async (signal) => {
      const usable = held !== undefined && !isExpired(held) ? held : undefined;
      if (usable === undefined) return (await lookOnce(signal)).credentials;
      if (isFresh(usable) || looking !== undefined) return usable.credentials;
      const patience = { clock, timeoutMs: PATIENCE_MS, signal, doing: 'renewing credentials' };
      return (await withDeadline(patience, lookOnce).catch(() => usable)).credentials;
    },
    renew: async (refused, signal) => {
      const isRecent = held !== undefined && clock.elapsed() - held.lookedAtMs < LOOKING_GAP_MS;
      if (held !== undefined && (isRecent || held.credentials !== refused)) return held.credentials;
      return (await lookOnce(signal)).credentials;
    },
  };
};

/** A token goes into a header: printable characters only, no white space. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** The same object for the same content, so that `renew` can tell and no connection is given up for nothing. */
const keepIfSame = (earlier: LoadedCredentials, loaded: LoadedCredentials): LoadedCredentials =>
  sameCertificate(earlier.credentials, loaded.credentials) &&
  earlier.credentials.token?.reveal() === loaded.credentials.token?.reveal()
    ? { ...loaded, credentials: earlier.credentials }
    : loaded;

export const sameCertificate = (left: Credentials, right: Credentials): boolean =>
  left.certificate?.certificatePem === right.certificate?.certificatePem;

/** When the certificate shown expired, if it had by the time of a server's `date` header. */
export const toExpiry = ({ certificate }: Credentials, date: unknown): Date | undefined => {
  if (certificate === undefined || typeof date !== 'string') return undefined;
  const until = new X509Certificate(certificate.certificatePem).validToDate;
  return until.getTime() < Date.parse(date) ? until : undefined;
};
