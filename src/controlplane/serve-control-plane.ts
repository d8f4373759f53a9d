/**
 * The embedded control plane as a person or a program uses it: over HTTPS, with its controllers, and a kubeconfig for its
 * administrator. `up` puts a provider and simulated Macs beside it; `control-plane` runs it alone.
 */
import { linkedController } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { FleetError } from '../base/errors.ts';
import { createIds } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { Random } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createKubeClient } from '../kube/client/create-client.ts';
import type { CredentialsSource } from '../kube/client/login/credentials.ts';
import { renderKubeconfig } from '../kube/client/login/render-kubeconfig.ts';
import type { Transport } from '../kube/client/transport.ts';
import { createManager } from '../kube/manager/manager.ts';
import { renderCertificate } from '../pki/certificate.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { OnRequest } from './auth/audit.ts';
import { CONTROLLER_MANAGER, controllerUser } from './auth/bootstrap/roles-for-controllers.ts';
import { issueClientCertificate, issueServerCertificate } from './auth/client-certificate.ts';
import { ADMIN, type User } from './auth/user.ts';
import { createOpenByKubeconfig } from './capi/remote/open-by-kubeconfig.ts';
import { type ControlPlane, createControlPlane } from './control-plane.ts';
import { createEmbeddedControllers } from './embedded-controllers.ts';
import { createFairTransport } from './fair-transport.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';
import { startIdleCollection } from './idle-collection.ts';
import { connectNodeByTls } from './node-connection.ts';
import { createSystemHeap, shrinkBufferPool } from './system-heap.ts';

export interface ServeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** 0 takes a free one. */
  readonly port: number;
  /** Where objects survive; without it they live as long as this process. */
  readonly databaseFile?: string;
  /** Told of every request once it is answered. */
  readonly onRequest?: OnRequest;
  readonly auditLog?: AuditLog;
}

export interface ServedControlPlane {
  readonly url: string;
  /** For the administrator. */
  readonly kubeconfig: Secret<string>;
  /** PEM of the authority that all certificates of this cluster come from. */
  readonly authority: string;
  /** For anybody else. */
  kubeconfigFor(user: User): Secret<string>;
  /** A client in this process, in that user's name. */
  clientFor(user: User): KubeClient;
  /** Without sockets, for somebody in this process: who it is says what it shows, as to `url`. */
  transportWith(credentials: CredentialsSource): Transport;
  /** Why the data file took a write no more, if it did not. */
  storeFailure(): FleetError | undefined;
  /** Settles after a clean stop; rejects when a part fails, or the data file takes no writes any more. */
  runControllers(signal: AbortSignal): Promise<void>;
  /** Ends all connections and closes the data file. Call it once, last. */
  close(): Promise<void>;
}

export const serveControlPlane = async (options: ServeOptions): Promise<ServedControlPlane> => {
  const { clock, random, logger, databaseFile, onRequest, auditLog } = options;
  shrinkBufferPool();
  const broken = createBreakage();
  const plane = createControlPlane({
    ...{ clock, random, logger, connectNode: connectNodeByTls, onStoreFailed: broken.note },
    ...(onRequest !== undefined && { onRequest }),
    ...(auditLog !== undefined && { auditLog }),
    ...(databaseFile !== undefined && { dataFile: databaseFile }),
  });
  const https = await listenOrClose(options, plane);
  const stopCollection = startIdleCollection(clock, createSystemHeap());
  const kubeconfigFor = (user: User): Secret<string> => renderLogin(options, { plane, https, user });
  const clientFor = (user: User): KubeClient =>
    createKubeClient({ transport: createFairTransport(plane.transportFor(user)), clock, random, logger });
  return {
    url: https.url,
    authority: renderCertificate(plane.authority.certificate),
    kubeconfigFor,
    kubeconfig: kubeconfigFor(ADMIN),
    clientFor,
    transportWith: (credentials) => createFairTransport(plane.transportWith(credentials)),
    storeFailure: broken.error,
    runControllers: async (signal) => {
      const life = linkedController(signal);
      broken.onNote(() => life.abort());
      const client = clientFor(CONTROLLER_MANAGER);
      const deps = { client, clock, random, logger };
      const set = createEmbeddedControllers({
        ...{ ...deps, ids: createIds(random), authority: plane.authority },
        clientFor: (account) => clientFor(controllerUser(account)),
        openRemote: createOpenByKubeconfig({ clock, random, logger }),
      });
      await createManager({ name: 'controlplane', ...deps, ...set }).run(life.signal);
      const failure = broken.error();
      if (failure !== undefined) throw failure;
    },
    close: async () => {
      stopCollection();
      await https.close();
      plane.close();
    },
  };
};

/** The first failure of the data file, and who is to know of it. */
const createBreakage = () => {
  let first: FleetError | undefined;
  let tell = (): void => undefined;
  return {
    note: (error: FleetError): void => {
      first ??= error;
      tell();
    },
    error: (): FleetError | undefined => first,
    onNote: (run: () => void): void => {
      tell = run;
      if (first !== undefined) run();
    },
  };
};

const listenOrClose = async (options: ServeOptions, plane: ControlPlane): Promise<HttpsServer> => {
  try {
    return await listen(options, plane);
  } catch (error) {
    plane.close();
    throw error;
  }
};

const listen = (
  { clock, random, logger, port }: ServeOptions,
  { api, tokens, authority }: ControlPlane,
): Promise<HttpsServer> =>
  startHttpsServer({
    ...{ api, tokens, clock, logger, port },
    serving: issueServerCertificate(
      { authority, clock, random },
      { dnsNames: ['localhost', 'kubernetes'], ipAddresses: ['127.0.0.1'] },
    ),
    clientAuthority: renderCertificate(authority.certificate),
  });

interface LoginParts {
  readonly plane: ControlPlane;
  readonly https: HttpsServer;
  readonly user: User;
}

const renderLogin = ({ clock, random }: ServeOptions, { plane, https, user }: LoginParts): Secret<string> =>
  new Secret(
    renderKubeconfig({
      server: https.url,
      authority: renderCertificate(plane.authority.certificate),
      client: issueClientCertificate({ authority: plane.authority, clock, random }, user),
      name: 'macfleet',
    }),
  );
