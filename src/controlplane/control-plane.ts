/**
 * The embedded control plane put together: store, API with its gate, certificate authority and tokens. It starts no
 * socket and no controller; its one timer removes events that are old. Who composes it decides what runs on it (src/cli/up, src/world).
 */
import type { Clock } from '../base/clock.ts';
import type { FleetError } from '../base/errors.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import type { CredentialsSource } from '../kube/client/login/credentials.ts';
import type { ParsedChunks, Transport } from '../kube/client/transport.ts';
import type { Authority } from '../pki/authority.ts';
import { type ApiServer, createApiServer } from './api/api-server.ts';
import { createApiTransport, createRefusingTransport } from './api/in-process-transport.ts';
import type { OpenNodeLog } from './api/node-log.ts';
import { whenDurable } from './api/when-durable.ts';
import { type AuditLog, withAuditLog } from './audit/audit-log.ts';
import { createAccessGate } from './auth/access-gate.ts';
import { type OnRequest, withAudit, withAuditIds } from './auth/audit.ts';
import { ensureAuthority } from './auth/authority-record.ts';
import { ensureBootstrapRoles } from './auth/bootstrap/ensure-roles.ts';
import type { IssuerDeps } from './auth/client-certificate.ts';
import type { Authorize } from './auth/decision.ts';
import { createShownCredentials } from './auth/shown-credentials.ts';
import { ensureSigningKey } from './auth/tokens/signing-key.ts';
import { createTokens, type KnownToken, type Tokens } from './auth/tokens/tokens.ts';
import type { User } from './auth/user.ts';
import { type ConnectNode, createNodeLogs } from './node-logs.ts';
import { createShowingTransport } from './showing-transport.ts';
import { startEventExpiry } from './store/event-expiry.ts';
import { openSqliteLog } from './store/sqlite-log.ts';
import { createStore, type Store } from './store/store.ts';

export interface GuardedApiOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Bearer tokens that are good besides those of ServiceAccounts and for bootstrapping. */
  readonly knownTokens?: readonly KnownToken[];
  /** Without it logs of Pods are refused. */
  readonly openNodeLog?: OpenNodeLog;
  /** Told of every request once it is answered. */
  readonly onRequest?: OnRequest;
  /** Told of requests as they were answered to whoever is outside. */
  readonly auditLog?: AuditLog;
  /** How often a watch tells how far it is. */
  readonly bookmarkEveryMs?: number;
}

export interface GuardedApi {
  readonly api: ApiServer;
  readonly tokens: Tokens;
  /** Asks what the API itself asks before each request. */
  readonly authorize: Authorize;
}

/** The API on a store, with authorization and admission in front, and the roles that every cluster has. */
export const createGuardedApi = (options: GuardedApiOptions): GuardedApi => {
  const { store, clock, random, logger, knownTokens: known = [], openNodeLog, onRequest, bookmarkEveryMs } = options;
  const { auditLog: log } = options;
  const signingKey = ensureSigningKey(store, random.stream('token-key'));
  const tokens = createTokens({ store, clock, signingKey, known });
  const gate = createAccessGate({ store, clock, ids: createIds(random.stream('tokens')), tokens });
  const ids = createIds(random.stream('api'));
  const api = createApiServer({
    ...{ store, clock, ids, logger, gate },
    ...(openNodeLog && { openNodeLog }),
    ...(bookmarkEveryMs !== undefined && { bookmarkEveryMs }),
  });
  ensureBootstrapRoles(store, api.handle);
  store.flush();
  const handle = withAuditIds(withAudit(api.handle, onRequest), createIds(random.stream('audit')));
  const { authorize } = gate;
  const durable = whenDurable(store, handle);
  const answer = log === undefined ? durable : withAuditLog(durable, { log, clock, authorize });
  return { api: { ...api, handle, answer }, tokens, authorize };
};

export interface ControlPlaneOptions extends Omit<GuardedApiOptions, 'store' | 'openNodeLog'> {
  /** The way to the agents of Nodes; without it logs of Pods are refused. */
  readonly connectNode?: (issuer: IssuerDeps) => ConnectNode;
  /** Where objects survive; without it they live as long as this process. */
  readonly dataFile?: string;
  /** Told of every write that the data file did not take; who wrote is refused in any case. */
  readonly onStoreFailed?: (error: FleetError) => void;
}

export interface ControlPlane extends GuardedApi {
  readonly authority: Authority;
  /** A way in for a client in this process, in that user's name. */
  transportFor(user: User): Transport;
  /** The same for whomever these make at the time of each request, as over TLS. */
  transportWith(credentials: CredentialsSource): Transport;
  /** Ends watches and closes the data file. Call it once, last. */
  close(): void;
}

export const createControlPlane = ({ dataFile, connectNode, ...options }: ControlPlaneOptions): ControlPlane => {
  const { clock, random, onStoreFailed } = options;
  const log = dataFile === undefined ? undefined : openSqliteLog(dataFile, onStoreFailed);
  const store = createStore({ clock, ...(log && { log }) });
  const authority = ensureAuthority({ store, clock, random: random.stream('authority') });
  const toNodes = connectNode?.({ authority, clock, random: random.stream('kubelet-client') });
  const guarded = createGuardedApi({ ...options, store, ...(toNodes && { openNodeLog: createNodeLogs(toNodes) }) });
  const { api, tokens } = guarded;
  const userOf = createShownCredentials({ authority, clock, tokens: () => tokens });
  const stopExpiry = startEventExpiry(store, clock);
  const parsed: ParsedChunks = new WeakMap();
  const transportFor = (user: User): Transport => createApiTransport(api, user, parsed);
  return {
    ...guarded,
    authority,
    transportFor,
    transportWith: (credentials) =>
      createShowingTransport(credentials, (shown) => {
        const user = userOf(shown);
        return user === undefined ? createRefusingTransport() : transportFor(user);
      }),
    close: () => {
      stopExpiry();
      api.close();
      store.close();
    },
  };
};
