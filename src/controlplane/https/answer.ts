/**
 * What is asked over HTTPS, put to the API. Client certificates of the control plane's own authority and bearer tokens say
 * who asks; who shows nothing is anonymous, and the API's gate decides what that one may. It answers only to the names
 * that its certificate holds, so that no page in a browser reaches it under a name of its own (DNS rebinding).
 */
import type { Readable } from 'node:stream';
import { FleetError } from '../../base/errors.ts';
import type { ApiServer } from '../api/api-server.ts';
import type { ApiResponse } from '../api/http.ts';
import { ApiRefusal, replyRefusal } from '../api/refusal.ts';
import { authenticate } from '../auth/authenticate.ts';
import type { Tokens } from '../auth/tokens/tokens.ts';
import type { Exchange } from './exchange.ts';
import type { ShownCertificates } from './shown-certificates.ts';
import type { Unsent } from './unsent.ts';

export interface Answering {
  readonly api: ApiServer;
  readonly tokens: Tokens;
  /** What the client may call this server, in lower case. */
  readonly names: ReadonlySet<string>;
  readonly certificates: ShownCertificates;
  readonly unsent: Unsent;
}

const BODY_BYTES_MAX = 3 * 1024 * 1024;

export const answer = async (answering: Answering, exchange: Exchange): Promise<void> => {
  const { api, tokens, certificates, unsent } = answering;
  const { method, path, headers, socket } = exchange;
  const refusal = hostRefusal(answering, exchange.host);
  const shown = { certificate: certificates.of(socket), authorization: headers['authorization'] };
  const user = authenticate(shown, tokens);
  if (user === undefined || refusal !== undefined) {
    exchange.skipBody();
    send(replyRefusal(refusal ?? new ApiRefusal('Unauthorized', 'Unauthorized')), exchange, unsent);
    return;
  }
  const body = await readBody(exchange);
  if (body === 'gone') return;
  if (body === 'too-large') {
    const message = `Request entity too large: limit is ${BODY_BYTES_MAX}`;
    exchange.refuseBody();
    send(replyRefusal(new ApiRefusal('RequestEntityTooLarge', message)), exchange, unsent);
    return;
  }
  send(await api.answer({ method, path, headers, body, user }), exchange, unsent);
};

const hostRefusal = ({ names }: Answering, said: string): ApiRefusal | undefined => {
  const name = said
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (names.has(name)) return undefined;
  const known = [...names].join(', ');
  return new ApiRefusal(
    'Forbidden',
    `the Host header ${JSON.stringify(said.slice(0, 100))} names no address of this server, which answers to ${known}`,
  );
};

/** Leaves a body that is too large unread, and the connection open for the refusal. */
const readBody = ({ headers, body }: Exchange): Promise<Buffer | 'too-large' | 'gone'> =>
  Number(headers['content-length'] ?? 0) > BODY_BYTES_MAX ? Promise.resolve('too-large') : readUpToMax(body);

const readUpToMax = (body: Readable): Promise<Buffer | 'too-large' | 'gone'> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    body.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      body.pause();
      resolve('too-large');
    });
    body.on('end', () => resolve(Buffer.concat(chunks, sizeBytes)));
    body.on('error', reject);
    body.on('close', () => resolve('gone'));
  });

const send = ({ status, headers, body }: ApiResponse, exchange: Exchange, unsent: Unsent): void => {
  if (typeof body === 'string') {
    exchange.reply({ status, headers }, body);
    return;
  }
  const out = exchange.open({ status, headers });
  let stop = (): void => undefined;
  out.onClose(() => {
    unsent.forget(out);
    stop();
  });
  stop = body({
    push: (chunk) => {
      if (out.isClosed()) return;
      out.write(chunk);
      if (unsent.isTooSlow(out)) exchange.abort(tooSlow());
    },
    room: () => out.room(),
    end: () => out.end(),
    fail: (why) => exchange.abort(new FleetError('unavailable', { code: 'StreamBroken', message: why })),
  });
  if (out.isClosed()) stop();
};

const tooSlow = (): FleetError =>
  new FleetError('unavailable', { code: 'ReaderTooSlow', message: 'the client reads more slowly than objects change' });
