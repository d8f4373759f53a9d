/**
 * The control plane's certificate authority. It is kept in the store, in a collection that no path of the API leads to,
 * so that certificates and kubeconfigs stay good when the control plane starts again on the same data.
 */
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { type Authority, createAuthority, parseAuthority } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../pki/key.ts';
import { fieldsOf } from '../store/object.ts';
import { keyFor, type Store } from '../store/store.ts';

const COLLECTION = 'macfleet.internal/authorities';
const NAME = 'cluster';
const DAY_MS = 86_400_000;
const LIFE_MS = 3_650 * DAY_MS;
/** Clocks of Macs that just booted may be behind. */
const BACKDATED_MS = 5 * 60_000;

export interface AuthorityDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** The authority of this store: the one it holds, or a new one. */
export const ensureAuthority = ({ store, clock, random }: AuthorityDeps): Authority => {
  const found = store.get(COLLECTION, keyFor(undefined, NAME));
  if (found !== undefined) {
    const data = fieldsOf(found.object['data']);
    return parseAuthority(String(data['certificate']), new Secret(String(data['key'])));
  }
  const keyPair = createKeyPair(random);
  const now = clock.now();
  const authority = createAuthority({
    subject: { commonName: 'macfleet-ca' },
    keyPair,
    random,
    notBeforeMs: now - BACKDATED_MS,
    notAfterMs: now + LIFE_MS,
  });
  const data = { certificate: renderCertificate(authority.certificate), key: renderPrivateKey(keyPair).reveal() };
  store.put(COLLECTION, { apiVersion: 'macfleet.internal/v1', kind: 'Authority', metadata: { name: NAME }, data });
  return authority;
};
