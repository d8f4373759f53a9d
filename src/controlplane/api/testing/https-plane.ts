/** For tests: the whole API behind its real HTTPS server, and requests of raw bytes in the administrator's name. */
import { request as httpsRequest } from 'node:https';
import { createSystemClock } from '../../../base/clock.ts';
import { createLoggerTo } from '../../../base/logger.ts';
import { createSystemRandom } from '../../../base/random.ts';
import { renderCertificate } from '../../../pki/certificate.ts';
import { issueClientCertificate, issueServerCertificate } from '../../auth/client-certificate.ts';
import { ADMIN } from '../../auth/user.ts';
import { createControlPlane } from '../../control-plane.ts';
import { startHttpsServer } from '../../https-server.ts';

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Nobody, unless a header says who; the administrator by default. */
  readonly by?: 'nobody';
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

export const startHttpsPlane = async () => {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const errors: unknown[] = [];
  const logger = createLoggerTo((level, message, fields) => {
    if (level === 'error') errors.push({ message, ...fields });
  });
  const plane = createControlPlane({ clock, random, logger });
  const issuer = { authority: plane.authority, clock, random };
  const ca = renderCertificate(plane.authority.certificate);
  const server = await startHttpsServer({
    ...{ api: plane.api, tokens: plane.tokens, clock, logger, clientAuthority: ca, port: 0 },
    serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
  });
  const { certificate: cert, key } = issueClientCertificate(issuer, ADMIN);

  const ask = ({ method = 'GET', path, headers = {}, body, by }: RawRequest): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      const login = by === 'nobody' ? {} : { cert, key: key.reveal() };
      const options = { method, path, headers, ca, host: '127.0.0.1', port: server.port, agent: false, ...login };
      const sending = httpsRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      });
      sending.on('error', reject);
      // A server that refuses may close before all of the body is sent.
      sending.end(body);
    });
  const stop = async (): Promise<void> => {
    plane.close();
    await server.close();
  };
  return { ask, errors, stop };
};
