/** How requests of the official SDK leave: over real sockets, or through a simulated world. */

export interface CloudRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

export interface CloudResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Rejects with a FleetError `unavailable` when no whole answer came; the request may have had its effect. */
export type CloudTransport = (request: CloudRequest) => Promise<CloudResponse>;
