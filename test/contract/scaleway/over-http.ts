/** The adapter and a simulated cloud with real sockets between them, and certificates where asked for. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/base/clock.ts';
import { createSeededRandom, createSystemRandom } from '../../../src/base/random.ts';
import { createAuthority, issueCertificate } from '../../../src/pki/authority.ts';
import { renderCertificate } from '../../../src/pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../../src/pki/key.ts';
import { connectCloud } from '../../../src/scaleway/adapter/connect.ts';
import { createSimulatedCredentials } from '../../../src/scaleway/adapter/credentials.ts';
import { createHttpCloudTransport } from '../../../src/scaleway/adapter/http-transport.ts';
import type { Cloud } from '../../../src/scaleway/port/cloud.ts';
import type { CloudTransport } from '../../../src/scaleway/port/transport.ts';
import { type ServedCloud, serveCloud } from '../../../src/sim/cloud/serve-cloud.ts';
import type { SimCloud } from '../../../src/sim/cloud/sim-cloud.ts';

export interface OverHttp {
  readonly cloud: Cloud;
  readonly served: ServedCloud;
  /** Settles when no request is on its way and whoever waited for one has gone on. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

export interface OverHttpOptions {
  readonly clock: Clock;
  readonly scheme?: 'http' | 'https';
}

const LIFE = { notBeforeMs: Date.UTC(2000, 0, 1), notAfterMs: Date.UTC(2090, 0, 1) };
const QUIET_TURNS = 5;

export const connectOverHttp = async (
  core: SimCloud,
  { clock, scheme = 'http' }: OverHttpOptions,
): Promise<OverHttp> => {
  const certified = scheme === 'https' ? certify() : undefined;
  const served = await serveCloud({ clock, cloud: core, ...(certified && { tls: certified.tls }) });
  const transport = createHttpCloudTransport(served.apiUrl, certified && { caPem: certified.caPem });
  const counted = countRequests(transport.send);
  const cloud = connectCloud({
    ...{ transport: counted.send, credentials: createSimulatedCredentials(core.projectId), clock },
    ...{ random: createSeededRandom('over http'), apiUrl: served.apiUrl },
  });
  return {
    ...{ cloud, served, quiet: counted.quiet },
    close: async () => {
      await transport.close();
      await served.close();
    },
  };
};

const countRequests = (send: CloudTransport) => {
  let underWay = 0;
  return {
    send: async (request: Parameters<CloudTransport>[0]) => {
      underWay += 1;
      try {
        return await send(request);
      } finally {
        underWay -= 1;
      }
    },
    quiet: async (): Promise<void> => {
      for (let quietTurns = 0; quietTurns < QUIET_TURNS; quietTurns += 1) {
        await turn();
        if (underWay > 0) quietTurns = 0;
      }
    },
  };
};

const certify = () => {
  const random = createSystemRandom();
  const authority = createAuthority({
    ...{ subject: { commonName: 'simulated Scaleway' }, keyPair: createKeyPair(random), random, ...LIFE },
  });
  const keyPair = createKeyPair(random);
  const certificate = issueCertificate(authority, {
    identity: { commonName: 'api', ipAddresses: ['127.0.0.1'] },
    publicKey: keyPair.publicKey,
    usages: ['digital signature', 'server auth'],
    random,
    ...LIFE,
  });
  const tls = { certificate: renderCertificate(certificate), key: renderPrivateKey(keyPair) };
  return { caPem: renderCertificate(authority.certificate), tls };
};
