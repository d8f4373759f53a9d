/**
 * The embedded control plane put together: store, API and certificate authority. It starts nothing: no socket, no
 * controller, no timer. Who composes it decides what runs on it (src/cli/up, src/world).
 */
import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import type { Transport } from '../kube/client/transport.ts';
import type { Authority } from '../pki/authority.ts';
import { type ApiServer, createApiServer } from './api/api-server.ts';
import { createApiTransport } from './api/in-process-transport.ts';
import { ensureAuthority } from './auth/authority-record.ts';
import type { User } from './auth/user.ts';
import { openSqliteLog } from './store/sqlite-log.ts';
import { createStore } from './store/store.ts';

export interface ControlPlaneOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Where objects survive; without it they live as long as this process. */
  readonly dataFile?: string;
}

export interface ControlPlane {
  readonly api: ApiServer;
  readonly authority: Authority;
  /** A way in for a client in this process, in that user's name. */
  transportFor(user: User): Transport;
  /** Ends watches and closes the data file. Call it once, last. */
  close(): void;
}

export const createControlPlane = ({ clock, random, logger, dataFile }: ControlPlaneOptions): ControlPlane => {
  const store = createStore(dataFile === undefined ? {} : { log: openSqliteLog(dataFile) });
  const authority = ensureAuthority({ store, clock, random: random.stream('authority') });
  const api = createApiServer({ store, clock, ids: createIds(random.stream('api')), logger });
  return {
    api,
    authority,
    transportFor: (user) => createApiTransport(api, user),
    close: () => {
      api.close();
      store.close();
    },
  };
};
