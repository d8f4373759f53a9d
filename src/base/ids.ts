/** Identifiers, made from the injected Random so that a simulated run names everything the same way twice. */
import type { Random } from './random.ts';

export interface Ids {
  /** A version 4 UUID. */
  uuid(): string;
  /** `length` characters that are safe in any Kubernetes name. */
  suffix(length: number): string;
}

/** No vowels and no look-alikes: Kubernetes' own alphabet for generated names. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

export const createIds = (random: Random): Ids => ({
  uuid: () => toUuid(random.bytes(16)),
  suffix: (length) => Array.from(random.bytes(length), (byte) => NAME_ALPHABET[byte % NAME_ALPHABET.length]).join(''),
});

const toUuid = (bytes: Uint8Array): string => {
  const hex = Array.from(bytes, (byte, at) => {
    if (at === 6) return ((byte & 0x0f) | 0x40).toString(16).padStart(2, '0');
    if (at === 8) return ((byte & 0x3f) | 0x80).toString(16).padStart(2, '0');
    return byte.toString(16).padStart(2, '0');
  }).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
