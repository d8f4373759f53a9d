/**
 * Who the agent of a Mac is to the cluster, from nothing but what lies on the Mac's disk: a bootstrap token makes it a Node
 * once, the certificate that comes of it until it expires, and each certificate gets the next. A key is on the disk before
 * it is shown to anybody, so that an agent that dies in between asks for the same certificate again.
 */
import type { Clock } from '../../base/clock.ts';
import { FleetError, isKind } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import {
  type ClientCertificate,
  type Credentials,
  type CredentialsSource,
  cachedCredentials,
  type LoadedCredentials,
} from '../../kube/client/login/credentials.ts';
import { type Certificate, parseCertificates } from '../../pki/certificate.ts';
import { createKeyPair, type KeyAlgorithm, parsePrivateKey, renderPrivateKey } from '../../pki/key.ts';
import { isExpired, isRenewalDue } from '../../pki/renewal.ts';
import { parseKeptIdentity, renderKeptIdentity } from './kept-identity.ts';
import { nodeUserOf, requestNodeCertificate } from './node-certificate.ts';

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
  /** In the name of these credentials. */
  readonly connect: (credentials: CredentialsSource) => OpenedClient;
  readonly keyAlgorithm?: KeyAlgorithm;
}

export interface OpenedClient {
  readonly client: KubeClient;
  close(): Promise<void>;
}

interface Held extends ClientCertificate {
  readonly certificate: Certificate;
}

interface State {
  held: Held | undefined;
  nextKeyPem: Secret<string> | undefined;
  /** Shown and not believed. */
  refused: Credentials | undefined;
  isRead: boolean;
}

/** How often it is looked whether a certificate has to be renewed. */
const LOOK_EVERY_MS = 60_000;

export const createNodeCredentials = (deps: NodeIdentityDeps): CredentialsSource => {
  const { clock, logger } = deps;
  const state: State = { held: undefined, nextKeyPem: undefined, refused: undefined, isRead: false };
  const load = async (signal: AbortSignal): Promise<LoadedCredentials> => {
    if (!state.isRead) await recall(deps, state);
    if (state.held === undefined || isDue(state.held, state, clock.now()))
      state.held = await obtain(deps, state, signal);
    const { certificate, certificatePem, keyPem } = state.held;
    return { credentials: { certificate: { certificatePem, keyPem } }, expiresAtMs: certificate.notAfterMs };
  };
  const cached = cachedCredentials({ clock, logger, load, freshForMs: LOOK_EVERY_MS });
  return {
    current: cached.current,
    renew: (refused, signal) => {
      state.refused = refused;
      return cached.renew(refused, signal);
    },
  };
};

const isDue = (held: Held, { refused }: State, nowMs: number): boolean =>
  isRenewalDue(held.certificate, nowMs) || held.certificatePem === refused?.certificate?.certificatePem;

/** What another Node left behind is of no use. */
const recall = async ({ disk, nodeName }: NodeIdentityDeps, state: State): Promise<void> => {
  const text = await disk.read();
  const kept = text === undefined ? undefined : parseKeptIdentity(text);
  state.isRead = true;
  state.nextKeyPem = kept?.nextKeyPem;
  const held = kept?.current === undefined ? undefined : toHeld(kept.current);
  if (held?.certificate.commonName === nodeUserOf(nodeName)) state.held = held;
};

const toHeld = ({ certificatePem, keyPem }: ClientCertificate): Held => {
  const [certificate] = parseCertificates(certificatePem);
  return { certificatePem, keyPem, certificate };
};

/** A certificate for the next key. */
const obtain = async (deps: NodeIdentityDeps, state: State, signal: AbortSignal): Promise<Held> => {
  const { random, keyAlgorithm } = deps;
  state.nextKeyPem ??= renderPrivateKey(createKeyPair(random, keyAlgorithm));
  const { held, nextKeyPem: keyPem } = state;
  await save(deps, state);
  try {
    const isUsable = held !== undefined && !isExpired(held.certificate, deps.clock.now());
    const certificatePem = isUsable
      ? await renew(deps, { held, keyPem }, signal)
      : await ask(deps.joining, deps, { keyPem, signal });
    state.nextKeyPem = undefined;
    state.held = toHeld({ certificatePem, keyPem });
    await save(deps, state);
    return state.held;
  } catch (error) {
    // What was refused once stays refused; the next try is with another key.
    if (isRefusal(error)) state.nextKeyPem = undefined;
    throw error;
  }
};

/** Of the request itself, not of whoever asks. */
const isRefusal = (error: unknown): boolean => error instanceof FleetError && error.code === 'CertificateDenied';

const save = ({ disk }: NodeIdentityDeps, { held, nextKeyPem }: State): Promise<void> =>
  disk.write(renderKeptIdentity({ current: held, nextKeyPem }));

interface Renewal {
  readonly held: Held;
  readonly keyPem: Secret<string>;
}

/** By the certificate, or by the token if that is not believed any more. */
const renew = async (deps: NodeIdentityDeps, { held, keyPem }: Renewal, signal: AbortSignal): Promise<string> => {
  const credentials = { certificate: { certificatePem: held.certificatePem, keyPem: held.keyPem } };
  const { client, close } = deps.connect({ current: async () => credentials, renew: async (refused) => refused });
  try {
    return await ask(client, deps, { keyPem, signal });
  } catch (error) {
    if (!isKind(error, 'denied') || isRefusal(error)) throw error;
    return await ask(deps.joining, deps, { keyPem, signal });
  } finally {
    await close();
  }
};

const ask = (
  client: KubeClient,
  { clock, nodeName }: Pick<NodeIdentityDeps, 'clock' | 'nodeName'>,
  { keyPem, signal }: { readonly keyPem: Secret<string>; readonly signal: AbortSignal },
): Promise<string> => requestNodeCertificate({ client, clock, nodeName, keyPair: parsePrivateKey(keyPem) }, signal);
