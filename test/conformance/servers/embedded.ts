/** The embedded control plane behind its real HTTPS server, without controllers: an API server and nothing else. */
import { createSystemClock } from '../../../src/base/clock.ts';
import { createLoggerTo } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import { ensureAuthority } from '../../../src/controlplane/auth/authority-record.ts';
import { issueClientCertificate, issueServerCertificate } from '../../../src/controlplane/auth/client-certificate.ts';
import { createGuardedApi } from '../../../src/controlplane/control-plane.ts';
import { startHttpsServer } from '../../../src/controlplane/https-server.ts';
import { createStore } from '../../../src/controlplane/store/store.ts';
import { renderCertificate } from '../../../src/pki/certificate.ts';
import type { ConformanceServer } from './server.ts';

/** So few that a case can outrun them. */
const FORGETFUL = { historyMax: 24 };

export interface EmbeddedServer extends ConformanceServer {
  /** What the server logged as errors: a request that failed inside it. */
  readonly errors: readonly unknown[];
}

export const startEmbedded = async (memory: 'lasting' | 'forgetful' = 'lasting'): Promise<EmbeddedServer> => {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const errors: unknown[] = [];
  const logger = createLoggerTo((level, message, fields) => {
    if (level === 'error') errors.push({ message, ...fields });
  });
  const store = createStore(memory === 'forgetful' ? FORGETFUL : {});
  const authority = ensureAuthority({ store, clock, random });
  const { api, tokens } = createGuardedApi({ store, clock, random, logger });
  const issuer = { authority, clock, random };
  const caPem = renderCertificate(authority.certificate);
  const server = await startHttpsServer({
    ...{ api, tokens, clock, logger, clientAuthority: caPem, port: 0 },
    serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
  });
  return {
    name: 'embedded',
    patienceMs: 1_000,
    errors,
    configFor: async ({ name, groups = [] }) => {
      const { certificate, key } = issueClientCertificate(issuer, { name, groups });
      return {
        ...{ source: 'the conformance suite', server: server.url, verifyServer: 'yes' },
        ca: { in: 'data', pem: new Secret(caPem) },
        login: {
          certificate: { certificate: { in: 'data', pem: new Secret(certificate) }, key: { in: 'data', pem: key } },
        },
      };
    },
    stop: async () => {
      api.close();
      await server.close();
      store.close();
    },
  };
};
