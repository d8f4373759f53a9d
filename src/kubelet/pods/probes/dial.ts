/** Reaching into a VM over its network, as a port: probes and hooks ask through it. */
import type { ServingStatus } from './grpc-health.ts';

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

export interface GrpcAsk extends TcpAsk {
  /** Empty: the server as a whole. */
  readonly service: string;
}

export interface Dial {
  /** The status of the answer; certificates are not checked, redirects not followed. Rejects when none comes. */
  http(ask: HttpAsk): Promise<number>;
  /** Settles once a connection is made, and closes it. */
  tcp(ask: TcpAsk): Promise<void>;
  /** What a server of `grpc.health.v1` without TLS says of a service. Rejects when it says nothing that can be understood. */
  grpc(ask: GrpcAsk): Promise<ServingStatus>;
}
