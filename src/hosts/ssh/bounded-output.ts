/**
 * The output of a remote command, bounded: its beginning and its end are kept, what lies between is counted. A gigabyte of
 * output costs as much memory as a page.
 */
import type { Secret } from '../../base/secret.ts';
import { redact } from '../redact.ts';

export interface BoundedOutput {
  push(chunk: Uint8Array): void;
  readonly totalBytes: number;
  /** As text; bytes that are no UTF-8 become U+FFFD. Holds none of the secrets, nor a part of one at the cut. */
  render(secrets: Readonly<Record<string, Secret<string>>>): string;
}

export interface OutputBounds {
  readonly headBytes: number;
  readonly tailBytes: number;
}

const DEFAULT_BOUNDS: OutputBounds = { headBytes: 16_384, tailBytes: 49_152 };

export const createBoundedOutput = ({ headBytes, tailBytes }: OutputBounds = DEFAULT_BOUNDS): BoundedOutput => {
  const head = Buffer.alloc(headBytes);
  /** A ring: the byte number n of what follows the head is at n modulo its size. */
  const ring = Buffer.alloc(tailBytes);
  let total = 0;
  const pushToRing = (chunk: Uint8Array, at: number): void => {
    // Only the last bytes can stay; the rest would be overwritten at once.
    const skipped = Math.max(0, chunk.length - tailBytes);
    let position = (at + skipped) % tailBytes;
    for (let from = skipped; from < chunk.length; ) {
      const length = Math.min(chunk.length - from, tailBytes - position);
      ring.set(chunk.subarray(from, from + length), position);
      from += length;
      position = (position + length) % tailBytes;
    }
  };
  const tail = (): Buffer => {
    const behind = Math.max(0, total - headBytes);
    if (behind <= tailBytes) return ring.subarray(0, behind);
    const oldest = behind % tailBytes;
    return Buffer.concat([ring.subarray(oldest), ring.subarray(0, oldest)]);
  };
  return {
    push: (chunk) => {
      const toHead = Math.min(Math.max(0, headBytes - total), chunk.length);
      if (toHead > 0) head.set(chunk.subarray(0, toHead), total);
      if (toHead < chunk.length) pushToRing(chunk.subarray(toHead), Math.max(0, total - headBytes));
      total += chunk.length;
    },
    get totalBytes() {
      return total;
    },
    render: (secrets) => {
      const dropped = total - headBytes - tailBytes;
      const first = head.subarray(0, Math.min(total, headBytes));
      if (dropped <= 0) return redact(Buffer.concat([first, tail()]).toString(), secrets);
      const margin = longestOf(secrets);
      const begin = redact(first.toString(), secrets);
      const kept = begin.slice(0, Math.max(0, begin.length - margin));
      return `${kept}\n[… ${dropped} bytes left out …]\n${redact(tail().toString(), secrets).slice(margin)}`;
    },
  };
};

/** So much next to a cut may be a part of a secret, which no search for the whole can find. */
const longestOf = (secrets: Readonly<Record<string, Secret<string>>>): number =>
  Math.max(0, ...Object.values(secrets).map((secret) => secret.reveal().length));
