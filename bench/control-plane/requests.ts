/** The same small HTTPS client against both servers, so that what differs is the server. */
import { FleetError } from '../../src/base/errors.ts';
import { readLogin } from './login.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } };
}

export interface Requests {
  /** Throws when the answer is no success. */
  send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: string): Promise<Buffer>;
  /**
   * Calls `onEvent` with each event; settles when the watch is open. A server ends the watch of a client that is slow; then
   * it is opened again, and begins with everything there is.
   */
  watch(path: string, onEvent: (event: WatchEvent) => void): Promise<void>;
  close(): Promise<void>;
}

const CONTENT_TYPES = {
  GET: 'application/json',
  POST: 'application/json',
  PATCH: 'application/merge-patch+json',
} as const;

export const createRequests = async (kubeconfigFile: string, connections: number): Promise<Requests> => {
  const [{ Pool }, login] = await Promise.all([import('undici'), readLogin(kubeconfigFile)]);
  const { server, ...connect } = login;
  const timeouts = { bodyTimeout: 0, headersTimeout: 60_000 };
  // One protocol on both sides, and that which costs this process least.
  const pool = new Pool(server.origin, { connections, connect, allowH2: false, ...timeouts });
  const send: Requests['send'] = async (method, path, body) => {
    const headers = body === undefined ? {} : { 'content-type': CONTENT_TYPES[method] };
    const answer = await pool.request({ method, path, headers, ...(body !== undefined && { body }) });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode < 300) return bytes;
    const message = `${method} ${path}: ${answer.statusCode} ${bytes.toString().slice(0, 300)}`;
    throw new FleetError('unavailable', { code: 'BenchRequestFailed', message });
  };
  let isClosed = false;
  const watch: Requests['watch'] = async (path, onEvent) => {
    const { body } = await pool.request({ method: 'GET', path });
    let rest = '';
    body.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onEvent(JSON.parse(line));
    });
    // An error comes with the end of the pool.
    body.on('error', () => undefined);
    body.on('end', () => void (isClosed || watch(path, onEvent)));
  };
  return {
    send,
    watch,
    close: () => {
      isClosed = true;
      return pool.destroy();
    },
  };
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
