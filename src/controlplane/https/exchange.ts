/** One request over HTTPS and the way to answer it, whichever version of HTTP carries it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ApiResponse } from '../api/http.ts';

export type Head = Pick<ApiResponse, 'status' | 'headers'>;

export interface Exchange {
  readonly socket: Socket;
  readonly method: string;
  /** Path and query, encoded. */
  readonly path: string;
  /** What the client calls this server; empty when it does not say. */
  readonly host: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Nobody will read the body, and the connection goes on. */
  skipBody(): void;
  /** Nobody will read the rest of the body, and it is too much to wait for its end. */
  refuseBody(): void;
  reply(head: Head, text: string): void;
  /** Sends the head, and hands out the way for what follows. */
  open(head: Head): Outgoing;
  /** Ends it without an answer, or in the middle of one. */
  abort(why: Error): void;
}

export interface Outgoing {
  /** Written, and not yet taken by the connection. */
  unsentBytes(): number;
  isClosed(): boolean;
  /** Calls `run` once, when it has ended for whatever reason. */
  onClose(run: () => void): void;
  write(chunk: Uint8Array): void;
  /** Settles when the connection has taken most of what was written, or has ended. */
  room(): Promise<void>;
  end(): void;
}

export const roomIn = async (out: Writable): Promise<void> => {
  if (!out.writableNeedDrain || out.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  out.once('drain', resolve).once('close', resolve);
  await promise;
  out.off('drain', resolve).off('close', resolve);
};

/** What comes several times under one name is one value, as HTTP reads it; names that only HTTP/2 knows are left out. */
export const headersOf = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name.startsWith(':') ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
