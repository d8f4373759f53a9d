/** Reaching into a VM over its network, as a port: probes and hooks ask through it. */

export interface HttpAsk {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface TcpAsk {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

export interface Dial {
  /** The status of the answer; certificates are not checked, redirects not followed. Rejects when none comes. */
  http(ask: HttpAsk): Promise<number>;
  /** Settles once a connection is made, and closes it. */
  tcp(ask: TcpAsk): Promise<void>;
}
