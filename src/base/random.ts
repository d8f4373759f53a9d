/**
 * Randomness as a port, with named streams: one consumer's draws never shift another's, so a new jitter somewhere does
 * not change the meaning of every recorded seed.
 */
import { createHash, randomBytes } from 'node:crypto';

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** An integer in [0, bound). */
  integer(bound: number): number;
  /** Unpredictable in production; reproducible in a simulation. */
  bytes(length: number): Uint8Array;
  /** An independent generator that depends only on this one's seed and on `name`. */
  stream(name: string): Random;
}

const fromNext = (next: () => number, stream: (name: string) => Random): Random => ({
  next,
  integer: (bound) => Math.floor(next() * bound),
  bytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
  stream,
});

/** sfc32: small, fast, passes PractRand; four words of state taken from SHA-256 of the seed. */
export const createSeededRandom = (seed: string | number): Random => {
  const digest = createHash('sha256').update(String(seed)).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  return fromNext(next, (name) => createSeededRandom(`${seed}/${name}`));
};

/** Draws from the operating system; streams are independent by nature. */
export const createSystemRandom = (): Random => {
  const next = (): number => randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
  const random: Random = { ...fromNext(next, () => random), bytes: (length) => new Uint8Array(randomBytes(length)) };
  return random;
};
