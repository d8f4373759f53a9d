/** What makes one Mac differ from another on the network and at Apple. */
import type { Random } from '../../base/random.ts';

/** Locally administered, unicast. */
export const randomMac = (random: Random): string => {
  const [first = 0, ...rest] = random.bytes(6);
  return [(first & 0xfc) | 0x02, ...rest].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
};

export const randomEcid = (random: Random): string => Buffer.from(random.bytes(48)).toString('base64');
