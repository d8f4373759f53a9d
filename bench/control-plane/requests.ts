/** The same small HTTPS client against both servers, so that what differs is the server. */
import { readFileSync } from 'node:fs';
import { FleetError } from '../../src/base/errors.ts';

export interface Requests {
  /** Throws when the answer is no success. */
  send(method: 'GET' | 'POST' | 'PUT', path: string, body?: string): Promise<Buffer>;
  /** Calls `onData` for what arrives, for as long as the connection lives; settles with the first headers. */
  follow(path: string, onData: (chunk: Buffer) => void): Promise<void>;
  close(): Promise<void>;
}

export const createRequests = async (kubeconfigFile: string, connections: number): Promise<Requests> => {
  const [{ Pool }, { parse }] = await Promise.all([import('undici'), import('yaml')]);
  const config = parse(readFileSync(kubeconfigFile, 'utf8'));
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const connect = {
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
  const pool = new Pool(cluster.server, { connections, connect, bodyTimeout: 0, headersTimeout: 60_000 });
  const send: Requests['send'] = async (method, path, body) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await pool.request({ method, path, headers, ...(body !== undefined && { body }) });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode < 300) return bytes;
    const message = `${method} ${path}: ${answer.statusCode} ${bytes.toString().slice(0, 300)}`;
    throw new FleetError('unavailable', { code: 'BenchRequestFailed', message });
  };
  return {
    send,
    follow: async (path, onData) => {
      const { body } = await pool.request({ method: 'GET', path });
      body.on('data', onData);
      body.on('error', () => undefined);
    },
    close: () => pool.destroy(),
  };
};

const pem = (holder: Readonly<Record<string, string>>, name: string): string => {
  const inline = holder[`${name}-data`];
  return inline === undefined ? readFileSync(holder[name] ?? '', 'utf8') : Buffer.from(inline, 'base64').toString();
};

/** How many times a second `run` ends, with so many under way at once; the first part warms up and is not counted. */
export const rateOf = async (callers: number, run: (at: number) => Promise<unknown>): Promise<number> => {
  const countFromMs = performance.now() + WARM_MS;
  const endMs = countFromMs + MEASURED_MS;
  let next = 0;
  let counted = 0;
  const callOn = async (): Promise<void> => {
    while (performance.now() < endMs) {
      next += 1;
      await run(next);
      const nowMs = performance.now();
      if (nowMs >= countFromMs && nowMs < endMs) counted += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, callOn));
  return (counted / MEASURED_MS) * 1_000;
};

const WARM_MS = 1_000;
const MEASURED_MS = 3_000;
