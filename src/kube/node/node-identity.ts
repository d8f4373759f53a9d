/**
 * Who the agent of a Mac is to the cluster, from nothing but what lies on the Mac's disk: a bootstrap token makes it a Node
 * once, the certificate that comes of it until it expires, and each certificate gets the next. A key is on the disk before
 * it is shown to anybody, so that an agent that dies in between asks for the same certificate again.
 */
import { afterFailure, DEFAULT_BACKOFF, type Retry } from '../../base/backoff.ts';
import { type Clock, pause } from '../../base/clock.ts';
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import { parseCertificates } from '../../pki/certificate.ts';
import { createKeyPair, type KeyAlgorithm, parsePrivateKey, renderPrivateKey } from '../../pki/key.ts';
import { isExpired, renewalTimeMs, renewalTimeOfNewMs, type Validity } from '../../pki/renewal.ts';
import type { KubeClient } from '../client/client.ts';
import {
  type ClientCertificate,
  type Credentials,
  type CredentialsSource,
  cachedCredentials,
  type LoadedCredentials,
} from '../client/login/credentials.ts';
import type { CertificateSigningRequest } from '../types/certificates.ts';
import { parseKeptIdentity, renderKeptIdentity } from './kept-identity.ts';
import { nodeUserOf, renderNodeRequest, requestCertificate } from './node-certificate.ts';

/** Where the identity is kept on the Mac: one text, replaced whole. */
export interface IdentityDisk {
  read(): Promise<Secret<string> | undefined>;
  write(text: Secret<string>): Promise<void>;
}

export interface NodeIdentityDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly nodeName: string;
  readonly disk: IdentityDisk;
  /** In the name of the bootstrap token. */
  readonly joining: KubeClient;
  /** Whether another token lies there than the one that was shown last; never unless given. */
  readonly hasNewToken?: () => Promise<boolean>;
  /** In the name of these credentials. */
  readonly connect: (credentials: CredentialsSource) => OpenedClient;
  readonly keyAlgorithm?: KeyAlgorithm;
}

export interface OpenedClient {
  readonly client: KubeClient;
  close(): Promise<void>;
}

export interface NodeCredentials extends CredentialsSource {
  /** Renews them in good time also while nobody asks for them, until the signal is aborted. */
  keep(signal: AbortSignal): Promise<void>;
}

interface Held extends ClientCertificate, Validity {
  readonly renewAtMs: number;
}

/** A key that nobody vouches for yet, and how it is asked for. */
interface NextKey {
  readonly keyPem: Secret<string>;
  readonly request: CertificateSigningRequest;
}

interface State {
  held: Held | undefined;
  next: NextKey | undefined;
  /** Shown and not believed. */
  refused: Credentials | undefined;
  isRead: boolean;
  /** Who was turned away does not knock with every request. */
  turnedAway: (Retry & { readonly error: unknown }) | undefined;
}

/** How often it is looked whether a certificate has to be renewed. */
const LOOK_EVERY_MS = 60_000;
/** Past its end a certificate is of use to nobody: then it is left to whoever asks. */
const LOOK_IN_VAIN_MS = 1_800_000;

export const createNodeCredentials = (deps: NodeIdentityDeps): NodeCredentials => {
  const { clock, logger } = deps;
  const state: State = {
    held: undefined,
    next: undefined,
    refused: undefined,
    isRead: false,
    turnedAway: undefined,
  };
  const load = async (signal: AbortSignal): Promise<LoadedCredentials> => {
    if (!state.isRead) await recall(deps, state);
    if (state.held === undefined || isDue(state.held, state, clock.now()))
      state.held = await knock(deps, state, signal);
    const { certificatePem, keyPem, notAfterMs: expiresAtMs, renewAtMs } = state.held;
    return { credentials: { certificate: { certificatePem, keyPem } }, expiresAtMs, renewAtMs };
  };
  const cached = cachedCredentials({ clock, logger, load, freshForMs: LOOK_EVERY_MS });
  return {
    current: cached.current,
    renew: (refused, signal) => {
      state.refused = refused;
      return cached.renew(refused, signal);
    },
    keep: async (signal) => {
      while (!signal.aborted) {
        await pause(clock, untilLook(state.held, clock.now()), signal);
        if (signal.aborted || state.held === undefined) continue;
        await cached
          .current(signal)
          .catch((thrown: unknown) => logger.debug('Identity not renewed', { error: toFleetError(thrown) }));
      }
    },
  };
};

const untilLook = (held: Held | undefined, nowMs: number): number => {
  if (held === undefined) return LOOK_EVERY_MS;
  if (isExpired(held, nowMs)) return LOOK_IN_VAIN_MS;
  return Math.max(LOOK_EVERY_MS, held.renewAtMs - nowMs);
};

const isDue = (held: Held, { refused }: State, nowMs: number): boolean =>
  nowMs >= held.renewAtMs || held.certificatePem === refused?.certificate?.certificatePem;

/** What another Node left behind is of no use. */
const recall = async ({ disk, nodeName }: NodeIdentityDeps, state: State): Promise<void> => {
  const text = await disk.read();
  const kept = text === undefined ? undefined : parseKeptIdentity(text);
  state.isRead = true;
  state.next = kept?.nextKeyPem && toNextKey(nodeName, kept.nextKeyPem);
  if (kept?.current === undefined) return;
  const [certificate] = parseCertificates(kept.current.certificatePem);
  if (certificate.commonName !== nodeUserOf(nodeName)) return;
  state.held = toHeld(kept.current, certificate, renewalTimeMs(certificate));
};

const toNewlyHeld = (pair: ClientCertificate, nowMs: number): Held => {
  const [certificate] = parseCertificates(pair.certificatePem);
  return toHeld(pair, certificate, renewalTimeOfNewMs(certificate, nowMs));
};

/** Of the certificate itself no more than its times: read whole it takes many times the room, for as long as the agent lives. */
const toHeld = (
  { certificatePem, keyPem }: ClientCertificate,
  { notBeforeMs, notAfterMs }: Validity,
  renewAtMs: number,
): Held => ({ certificatePem, keyPem, notBeforeMs, notAfterMs, renewAtMs });

const toNextKey = (nodeName: string, keyPem: Secret<string>): NextKey => ({
  keyPem,
  request: renderNodeRequest(nodeName, parsePrivateKey(keyPem)),
});

/** As `obtain`, later and later for as long as whoever asks is turned away; at once with another token. */
const knock = async (deps: NodeIdentityDeps, state: State, signal: AbortSignal): Promise<Held> => {
  const { clock, random, hasNewToken } = deps;
  const { turnedAway } = state;
  const isEarly = turnedAway !== undefined && clock.now() < turnedAway.notBeforeMs;
  const hasNew = isEarly && hasNewToken !== undefined && (await hasNewToken());
  if (isEarly && !hasNew) throw turnedAway.error;
  try {
    const held = await obtain(deps, state, signal);
    state.turnedAway = undefined;
    return held;
  } catch (error) {
    if (isKind(error, 'denied'))
      state.turnedAway = { ...afterFailure(turnedAway, clock.now(), { policy: DEFAULT_BACKOFF, random }), error };
    throw error;
  }
};

/** A certificate for the next key. */
const obtain = async (deps: NodeIdentityDeps, state: State, signal: AbortSignal): Promise<Held> => {
  const { random, keyAlgorithm, nodeName } = deps;
  state.next ??= toNextKey(nodeName, renderPrivateKey(createKeyPair(random, keyAlgorithm)));
  const { held, next } = state;
  await save(deps, state);
  try {
    const isUsable = held !== undefined && !isExpired(held, deps.clock.now());
    const certificatePem = isUsable ? await renew(deps, { held, next }, signal) : await join(deps, next, signal);
    state.next = undefined;
    state.held = toNewlyHeld({ certificatePem, keyPem: next.keyPem }, deps.clock.now());
    await save(deps, state);
    return state.held;
  } catch (error) {
    // What was refused once stays refused; the next try is with another key.
    if (isRefusal(error)) state.next = undefined;
    throw error;
  }
};

/** Of the request itself, not of whoever asks. */
const isRefusal = (error: unknown): boolean => error instanceof FleetError && error.code === 'CertificateDenied';

const save = ({ disk }: NodeIdentityDeps, { held, next }: State): Promise<void> =>
  disk.write(renderKeptIdentity({ current: held, nextKeyPem: next?.keyPem }));

interface Renewal {
  readonly held: Held;
  readonly next: NextKey;
}

/** By the certificate, or by the token if that is not believed any more. */
const renew = async (deps: NodeIdentityDeps, { held, next }: Renewal, signal: AbortSignal): Promise<string> => {
  const credentials = { certificate: { certificatePem: held.certificatePem, keyPem: held.keyPem } };
  const { client, close } = deps.connect({ current: async () => credentials, renew: async (refused) => refused });
  try {
    return await requestCertificate({ ...deps, client }, next.request, signal);
  } catch (error) {
    if (!isKind(error, 'denied') || isRefusal(error)) throw error;
    return await join(deps, next, signal);
  } finally {
    await close();
  }
};

/** By the token. */
const join = (deps: NodeIdentityDeps, { request }: NextKey, signal: AbortSignal): Promise<string> =>
  requestCertificate({ ...deps, client: deps.joining }, request, signal).catch((thrown: unknown) => {
    throw thrown instanceof FleetError && thrown.code === 'Unauthorized' ? tokenRefused(deps.nodeName, thrown) : thrown;
  });

const tokenRefused = (nodeName: string, cause: FleetError): FleetError =>
  new FleetError('denied', {
    code: 'JoinTokenRefused',
    message: `the cluster does not take the bootstrap token in the kubeconfig of Node ${nodeName}: it has expired, was revoked, or is another cluster's`,
    hint: 'Put a kubeconfig with a new token in its place, as a bootstrap of the host does; it is read again, without a restart.',
    cause,
  });
