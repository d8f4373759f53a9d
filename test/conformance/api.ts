/** The API server as a case sees it: requests and watches in anybody's name, answers with all they hold. */
import { neverAborted, withDeadline } from '../../src/base/abort.ts';
import { createSystemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { Secret } from '../../src/base/secret.ts';
import { type ClusterConnection, type ConnectDeps, connectCluster } from '../../src/kube/client/connect.ts';
import { createHostIo } from '../../src/kube/client/login/host-io.ts';
import type { ClusterConfig } from '../../src/kube/client/login/select-context.ts';
import type { TransportRequest } from '../../src/kube/client/transport.ts';
import { NOBODY, type Who } from './case.ts';
import { ADMINISTRATOR, type ConformanceServer } from './servers/server.ts';

export interface Sender {
  readonly as?: Who;
  readonly token?: string;
}

export interface Sent extends Sender {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown;
}

export interface OpenWatch {
  readonly status: number;
  /** The next line; undefined when the server ended the stream. */
  next(): Promise<unknown>;
  stop(): void;
}

export interface ConformanceApi {
  readonly patienceMs: number;
  request(sent: Sent): Promise<Answer>;
  watch(sent: Omit<Sent, 'method' | 'body'>): Promise<OpenWatch>;
  close(): Promise<void>;
}

type Connection = Pick<ClusterConnection, 'transport' | 'close'>;

/** How requests travel. */
export type Connect = (config: ClusterConfig, deps: ConnectDeps) => Promise<Connection>;

/** No answer takes this long unless it never comes. */
const TIMEOUT_MS = 30_000;

export const createConformanceApi = (
  server: ConformanceServer,
  connectTo: Connect = connectCluster,
): ConformanceApi => {
  const clock = createSystemClock();
  const connections = new Map<string, Promise<Connection>>();

  const connect = async ({ as = ADMINISTRATOR, token }: Sender): Promise<Connection> => {
    const person = typeof as === 'string' ? { name: as } : as;
    const config = await server.configFor(person);
    const isBare = person.name === NOBODY || token !== undefined;
    const login = token === undefined ? {} : { token: new Secret(token) };
    const deps = { host: createHostIo(), clock, random: createSystemRandom(), logger: silentLogger };
    return connectTo(isBare ? { ...config, login } : config, deps);
  };
  const transportFor = async (sender: Sender) => {
    const key = JSON.stringify([sender.as, sender.token]);
    const found = connections.get(key) ?? connect(sender);
    connections.set(key, found);
    return (await found).transport;
  };
  const send = async ({ headers = {}, body, ...sent }: Sent, signal: AbortSignal) => {
    const transport = await transportFor(sent);
    const content = body === undefined ? {} : { body };
    return transport.send({ method: sent.method, path: sent.path, headers, signal, ...content });
  };
  return {
    patienceMs: server.patienceMs,
    request: (sent) =>
      withDeadline({ clock, timeoutMs: TIMEOUT_MS, signal: neverAborted(), doing: sent.path }, async (signal) => {
        const { status, headers, body } = await send(sent, signal);
        const chunks: Uint8Array[] = [];
        for await (const chunk of body) chunks.push(chunk);
        return { status, headers, body: parseText(Buffer.concat(chunks).toString()) };
      }),
    watch: async (sent) => {
      const controller = new AbortController();
      const { status, body } = await send({ ...sent, method: 'GET' }, controller.signal);
      const lines = readLines(body);
      const next = (): Promise<unknown> =>
        withDeadline({ clock, timeoutMs: TIMEOUT_MS, signal: neverAborted(), doing: sent.path }, async () => {
          const { value, done } = await lines.next();
          return done === true ? undefined : value;
        });
      return { status, next, stop: () => controller.abort() };
    },
    close: async () => {
      for (const connection of connections.values()) await (await connection).close();
    },
  };
};

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (line !== '') yield parseText(line);
  }
  if (rest !== '') yield parseText(rest);
}
