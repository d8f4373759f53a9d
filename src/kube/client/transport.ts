/**
 * The one way out to an API server: a request goes, a status and a stream of bytes come back. Adapters: undici over
 * TLS (undici-transport.ts), and the simulation's in-process one.
 */

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, already encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborting ends the request, or the stream of a response under way. */
  readonly signal: AbortSignal;
  /** Asked at the last moment, when a connection is there and the first byte is about to go. What it throws is thrown. */
  readonly permit?: () => void;
}

export interface TransportResponse {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Must be read to its end or given up with `return()`. A connection that breaks midway throws `unavailable`:
   * the end of the iteration always means that the peer ended the body.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Where several are given the very same chunks: what the first of them made of one. */
  readonly parsed?: ParsedChunks;
}

/** Values that were parsed from chunks, for as long as those are held. Whoever finds one there may not change it. */
export type ParsedChunks = WeakMap<Uint8Array, object>;

/**
 * The code of an `unavailable` error that promises: no byte of the request was sent. Any request may be repeated after
 * it. After every other failure the server may have acted.
 */
export const NOTHING_SENT = 'ConnectFailed';

export interface Transport {
  /**
   * Rejects with `unavailable` (refused, reset, DNS), `denied` (credentials, certificates), `contract` (not HTTP) or
   * `cancelled`; never for an HTTP status, but for a 401 to a client certificate that has expired.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}
