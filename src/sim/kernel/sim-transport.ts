/**
 * The Kubernetes client's Transport inside the simulation: requests are two-step calls, bodies are pipes, so latency,
 * lost answers, half bodies, frozen and broken watches come from the kernel. API servers plug in as a plain function.
 */
import { toFleetError } from '../../base/errors.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../kube/client/transport.ts';
import type { Actor } from './actor.ts';
import type { ByteSink } from './pipe.ts';

export interface SimResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, or a function that starts pushing it, at the moment of the effect, and returns how to stop. */
  readonly body: string | ((sink: ByteSink) => () => void);
}

/** Answers every request. A FleetError that it throws reaches the client in place of an answer; any other fails the run. */
export type SimServer = (request: TransportRequest) => SimResponse | Promise<SimResponse>;

export interface SimTransportOptions {
  /** The client: the transport lives and dies with this life of it. */
  readonly actor: Actor;
  readonly server: SimServer;
  /** The actor that the server belongs to, if it can be paused and killed. */
  readonly serverActor?: string;
  /** The prefix of fault sites: "kube" gives "kube:GET" for a request and "kube:body" for bytes of a body. */
  readonly site?: string;
  /** Whole bodies come in the packet of their answer, unless a fault tears them off; fewer events. */
  readonly bodies?: 'with-answer';
}

interface OpenResponse {
  readonly response: TransportResponse;
  readonly hangUp: () => void;
}

export const createSimTransport = ({
  actor,
  server,
  serverActor,
  site = 'kube',
  bodies,
}: SimTransportOptions): Transport => {
  const open = async (request: TransportRequest): Promise<OpenResponse> => {
    const { status, headers, body } = await server(request);
    let stop = (): void => undefined;
    const pipe = actor.pipe({
      site: `${site}:body`,
      signal: request.signal,
      onHangUp: () => stop(),
      ...(bodies === 'with-answer' && typeof body === 'string' && { isCarried: true }),
      ...(serverActor !== undefined && { from: serverActor }),
    });
    if (typeof body === 'function') stop = body(pipe.sink);
    else pushWhole(pipe.sink, body);
    const hangUp = (): void => {
      pipe.body.return?.().catch((error: unknown) => actor.note(toFleetError(error).message));
    };
    return { response: { status, headers, body: pipe.body }, hangUp };
  };
  return {
    send: async (request) => {
      const { response } = await actor.call<OpenResponse>({
        site: `${site}:${request.method}`,
        signal: request.signal,
        effect: () => open(request),
        discard: ({ hangUp }) => hangUp(),
        ...(serverActor !== undefined && { to: serverActor }),
      });
      return response;
    },
    close: () => Promise.resolve(),
  };
};

const pushWhole = (sink: ByteSink, body: string): void => {
  if (body !== '') sink.push(Buffer.from(body));
  sink.end();
};
