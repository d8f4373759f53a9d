/**
 * The SSH key of a fleet: a Secret, made once by whoever comes first, and known to Scaleway, which puts it on every Mac that
 * it installs (001-4). The Secret comes first: of two managers that make one at once the API keeps one, and both go on with
 * that.
 */
import { createHash } from 'node:crypto';
import { type Clock, parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError, isKind } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import { ANNOTATIONS } from '../../kinds/labels.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { CLUSTER_API_LABELS } from '../../kube/types/cluster-api.ts';
import { type Secret as KubeSecret, SECRETS } from '../../kube/types/core.ts';
import { openSshKeyFrom, publicHalfOf } from '../../pki/openssh-key.ts';
import type { FleetKeys } from '../host/ports.ts';

export interface FleetKeyDeps {
  readonly client: KubeClient;
  /** Makes Scaleway know the key of that fleet, and gives its id there. Safe to repeat. */
  readonly register: (
    key: { readonly fleet: string; readonly publicKey: string },
    signal: AbortSignal,
  ) => Promise<string>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Where the Secrets are. */
  readonly namespace: string;
}

const PRIVATE = 'id_ed25519';
const PUBLIC = 'id_ed25519.pub';
const SEED_BYTES = 32;
const FINGERPRINT_LENGTH = 16;

export const createFleetKeys = (deps: FleetKeyDeps): FleetKeys => ({
  privateKeyOf: async (fleet, signal) => {
    const secret = (await find(deps, fleet, signal)) ?? (await make(deps, fleet, signal));
    const { privateKey, publicKey } = readPair(secret);
    const { [ANNOTATIONS.sshKeyId]: id, [ANNOTATIONS.sshKeyFingerprint]: known } = secret.metadata.annotations ?? {};
    if (id === undefined || known !== fingerprintOf(publicKey))
      await makeKnown(deps, { fleet, secret, publicKey }, signal);
    return privateKey;
  },
  // The original writes the Secret once Scaleway knows the key, and notes no time.
  knownSince: async (fleet, signal) => {
    const { annotations, creationTimestamp } = (await find(deps, fleet, signal))?.metadata ?? {};
    if (annotations?.[ANNOTATIONS.sshKeyId] === undefined) return undefined;
    return parseTimestamp(annotations[ANNOTATIONS.sshKeyKnownSince] ?? creationTimestamp);
  },
});

const nameOf = (fleet: string): string => `${fleet}-ssh`;

const find = ({ client: kube, namespace }: FleetKeyDeps, fleet: string, signal: AbortSignal) =>
  readIfThere(SECRETS, { namespace, name: nameOf(fleet) }, { kube, signal });

const make = async (deps: FleetKeyDeps, fleet: string, signal: AbortSignal): Promise<KubeSecret> => {
  const { client, random, namespace } = deps;
  const key = openSshKeyFrom(random.bytes(SEED_BYTES));
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const secret: KubeSecret = {
    type: 'Opaque',
    // Another key over there would lock the fleet out of its Macs (R17).
    metadata: { namespace, name: nameOf(fleet), labels: { [CLUSTER_API_LABELS.move]: '' } },
    data: { [PRIVATE]: encode(key.privateKey.reveal()), [PUBLIC]: encode(`${key.publicKey} tuist-capi-${fleet}\n`) },
  };
  try {
    return await client.create(SECRETS, secret, { signal });
  } catch (error) {
    const there = isKind(error, 'exists') ? await find(deps, fleet, signal) : undefined;
    if (there === undefined) throw error;
    return there;
  }
};

/** A key that nobody can log in with, or whose public half is another, would look like the fault of every Mac of the fleet. */
const readPair = (secret: KubeSecret): { readonly privateKey: Secret<string>; readonly publicKey: string } => {
  const [text, stated] = [PRIVATE, PUBLIC].map((field) => read(secret, field));
  if (text === '') throw unavailable(secret, `has no ${PRIVATE}`);
  const privateKey = new Secret(text ?? '');
  const publicKey = publicHalfOf(privateKey);
  if (publicKey === undefined)
    throw unavailable(secret, `has no private key of OpenSSH without a passphrase in ${PRIVATE}`);
  if (stated && keyPartOf(stated) !== publicKey)
    throw unavailable(secret, `has in ${PUBLIC} another key than the public half of ${PRIVATE}`);
  return { privateKey, publicKey: stated || publicKey };
};

const read = ({ data }: KubeSecret, field: string): string => {
  const text = Buffer.from(data?.[field] ?? '', 'base64').toString();
  return text.trim() === '' ? '' : text;
};

/** Algorithm and base64; the comment says nothing. */
const keyPartOf = (line: string): string => line.trim().split(/\s+/).slice(0, 2).join(' ');

const fingerprintOf = (publicKey: string): string =>
  createHash('sha256').update(keyPartOf(publicKey)).digest('hex').slice(0, FINGERPRINT_LENGTH);

const unavailable = ({ metadata }: KubeSecret, what: string): FleetError =>
  new FleetError('invalid', {
    code: REASONS.machine.bootstrapped.sshKeyUnavailable,
    message: `the Secret ${metadata.namespace}/${metadata.name} ${what}`,
    hint: 'Put the key there, or delete the Secret: then a new one is made, which Macs get with their next installation.',
  });

/**
 * Noted on the Secret, so that Scaleway is asked once for each key: one that somebody put in its place is made known too. What
 * the original noted is looked at once: its key in the cluster and that at Scaleway may be two (W-10).
 */
const makeKnown = async (
  { client, register, clock }: FleetKeyDeps,
  { fleet, secret, publicKey }: { readonly fleet: string; readonly secret: KubeSecret; readonly publicKey: string },
  signal: AbortSignal,
): Promise<void> => {
  const id = await register({ fleet, publicKey: publicKey.trim() }, signal);
  const { namespace = '', name, uid, resourceVersion, annotations: noted } = secret.metadata;
  const wasKnown = noted?.[ANNOTATIONS.sshKeyId] === id && noted[ANNOTATIONS.sshKeyFingerprint] === undefined;
  const annotations = {
    [ANNOTATIONS.sshKeyId]: id,
    [ANNOTATIONS.sshKeyFingerprint]: fingerprintOf(publicKey),
    ...(wasKnown ? {} : { [ANNOTATIONS.sshKeyKnownSince]: toTimestamp(clock.now()) }),
  };
  const body = { metadata: { uid, resourceVersion, annotations } };
  await client.patch(SECRETS, { namespace, name }, { type: 'merge', body }, { signal });
};
