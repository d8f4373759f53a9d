/** A relay to a VM's screen, as a port. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { VncEndpoint } from '../../vm/vm-port.ts';

export interface OpenRelay {
  readonly endpoint: VncEndpoint;
  readonly tokenHash?: string;
}

export interface Relay {
  readonly port: number;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}

export type StartRelay = (relay: OpenRelay) => Promise<Relay>;

const PREFACE = 'tuist-vnc-token ';
export const PREFACE_BYTES_MAX = 1_024;

/** Whether the first line of a client shows the token that the hash is of. */
export const isTokenLine = (line: string, tokenHash: string): boolean => {
  if (!line.startsWith(PREFACE)) return false;
  const shown = createHash('sha256').update(line.slice(PREFACE.length).trimEnd()).digest('base64url');
  const [left, right] = [Buffer.from(shown), Buffer.from(tokenHash)];
  return left.length === right.length && timingSafeEqual(left, right);
};
