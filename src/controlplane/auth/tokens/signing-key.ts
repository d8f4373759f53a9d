/** The key that signs ServiceAccount tokens. Kept like the authority: in the store, where no path of the API leads. */
import type { Random } from '../../../base/random.ts';
import { Secret } from '../../../base/secret.ts';
import { createKeyPair, type KeyPair, parsePrivateKey, renderPrivateKey } from '../../../pki/key.ts';
import { fieldsOf } from '../../store/object.ts';
import { keyFor, type Store } from '../../store/store.ts';

const COLLECTION = 'macfleet.internal/token-keys';
const NAME = 'service-accounts';

/** The key of this store: the one it holds, or a new one. */
export const ensureSigningKey = (store: Store, random: Random): KeyPair => {
  const found = store.get(COLLECTION, keyFor(undefined, NAME));
  if (found !== undefined) return parsePrivateKey(new Secret(String(fieldsOf(found.object['data'])['key'])));
  const keyPair = createKeyPair(random);
  const data = { key: renderPrivateKey(keyPair).reveal() };
  store.put(COLLECTION, { apiVersion: 'macfleet.internal/v1', kind: 'TokenKey', metadata: { name: NAME }, data });
  return keyPair;
};
