/** How a request to the dispatcher leaves: over real sockets, or through a simulated world. */

export interface DispatchRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

export interface DispatchResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Rejects with a FleetError `unavailable` when no whole answer came; the request may have had its effect. */
export type DispatchTransport = (request: DispatchRequest) => Promise<DispatchResponse>;
