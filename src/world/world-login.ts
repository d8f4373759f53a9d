/**
 * Who asks in a world without TLS: a client shows the credentials that it has at the time, and the embedded API's own
 * authentication says whom they make (src/controlplane/auth/shown-credentials.ts).
 */
import type { Clock } from '../base/clock.ts';
import type { ApiResponse } from '../controlplane/api/http.ts';
import { ApiRefusal, replyRefusal } from '../controlplane/api/refusal.ts';
import { createShownCredentials } from '../controlplane/auth/shown-credentials.ts';
import { createShowingTransport } from '../controlplane/showing-transport.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createKubeClient } from '../kube/client/create-client.ts';
import type { Credentials, CredentialsSource } from '../kube/client/login/credentials.ts';
import type { Transport, TransportRequest } from '../kube/client/transport.ts';
import { createNodeCredentials, type OpenedClient } from '../kube/node/node-identity.ts';
import { type NodeLogin, readConfig } from '../kube/node/node-login.ts';
import type { Authority } from '../pki/authority.ts';
import type { Actor } from '../sim/kernel/actor.ts';
import { createSimTransport } from '../sim/kernel/sim-transport.ts';
import type { ApiEdge, Handle } from './api-edge.ts';
import type { FleetPace } from './fleet-pace.ts';
import type { Plane } from './plane.ts';

export interface WorldLoginDeps {
  readonly plane: Pick<Plane, 'tokens'>;
  readonly edge: Pick<ApiEdge, 'handleFor'>;
  readonly authority: Authority;
  /** The API's. */
  readonly clock: Clock;
  readonly pace: FleetPace;
}

type SimServer = Parameters<typeof createSimTransport>[0]['server'];

/** A transport as this world paces it. */
const openTransport = (actor: Actor, { bodies }: FleetPace, server: SimServer): Transport =>
  createSimTransport({ actor, server, ...(bodies && { bodies }) });

/** A client as this world paces it, over a transport or straight to a server. */
export const openWorldClient = (
  actor: Actor,
  pace: FleetPace,
  to: { readonly transport: Transport } | { readonly server: SimServer },
): KubeClient => {
  const { clock, random, logger } = actor;
  const transport = 'transport' in to ? to.transport : openTransport(actor, pace, to.server);
  const options = pace.watchSeconds && { options: { watchSeconds: pace.watchSeconds } };
  return createKubeClient({ transport, clock, random, logger, ...options });
};

/** Opens a client for an actor, in the name of whomever its credentials make at the time of each request. */
export type LogIn = (actor: Actor, credentials: CredentialsSource) => OpenedClient;

export const createWorldLogin = ({ plane, edge, authority, clock, pace }: WorldLoginDeps): LogIn => {
  const userOf = createShownCredentials({ authority, clock, tokens: () => plane.tokens });
  const answer = (handle: Handle, request: TransportRequest, shown: Credentials): ApiResponse => {
    const user = userOf(shown);
    return user === undefined
      ? replyRefusal(new ApiRefusal('Unauthorized', 'Unauthorized'))
      : handle({ ...request, user });
  };
  return (actor, credentials) => {
    const handle = edge.handleFor(actor.name);
    const showing = (shown: Credentials): Transport =>
      openTransport(actor, pace, (request) => answer(handle, request, shown));
    const transport = createShowingTransport(credentials, showing);
    return { client: openWorldClient(actor, pace, { transport }), close: transport.close };
  };
};

/** The same all the time. */
export const showAlways = (credentials: Credentials): CredentialsSource => ({
  current: async () => credentials,
  renew: async (refused) => refused,
});

export interface LoggedInNode {
  readonly client: KubeClient;
  /** Renews its certificate in good time, however rarely it asks for something. */
  keepIdentity(signal: AbortSignal): Promise<void>;
}

/** As the agent of a Mac, by what lies on its disk. */
export const logInAsNode = (actor: Actor, logIn: LogIn, login: NodeLogin): LoggedInNode => {
  const { clock, random, logger } = actor;
  const { nodeName, disk } = login;
  const { token } = readConfig(login).login;
  const { client: joining } = logIn(actor, showAlways(token === undefined ? {} : { token }));
  const credentials = createNodeCredentials({
    ...{ clock, random, logger, nodeName, disk, joining, connect: (source) => logIn(actor, source) },
    // Its signatures are not salted: the same seed gives the same bytes.
    keyAlgorithm: 'ed25519',
  });
  return { client: logIn(actor, credentials).client, keepIdentity: credentials.keep };
};
