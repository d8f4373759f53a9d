/** The same requests over HTTP/2, all of one person on one connection, as kubectl and controllers send them. */
import { once } from 'node:events';
import { constants } from 'node:http2';
import { neverAborted } from '../../src/base/abort.ts';
import { openHttp2Client } from '../../src/controlplane/https/testing/http2-client.ts';
import { createCredentialsSource, readPem } from '../../src/kube/client/login/load-credentials.ts';
import type { Transport } from '../../src/kube/client/transport.ts';
import type { Connect } from './api.ts';

export const connectByHttp2: Connect = async (config, { host, clock, logger }) => {
  const caPem = config.ca && (await readPem(config.ca, host)).reveal();
  const shown = await createCredentialsSource(config, { host, clock, logger, caPem }).current(neverAborted());
  const { certificate, token } = shown;
  const client = await openHttp2Client(config.server, {
    ...(caPem !== undefined && { ca: caPem }),
    ...(certificate && { cert: certificate.certificatePem, key: certificate.keyPem.reveal() }),
  });
  const login = token === undefined ? {} : { authorization: `Bearer ${token.reveal()}` };
  const send: Transport['send'] = async ({ method, path, headers, body, signal }) => {
    const stream = client.open({ ':method': method, ':path': path, ...headers, ...login });
    signal.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL), { once: true });
    stream.end(body);
    const [answered] = await once(stream, 'response');
    const named = Object.entries(answered).filter(([name]) => !name.startsWith(':'));
    const texts = named.map(([name, value]) => [name, String(value)]);
    return { status: Number(answered[':status']), headers: Object.fromEntries(texts), body: stream };
  };
  const close = async (): Promise<void> => client.close();
  return { transport: { send, close }, close };
};
