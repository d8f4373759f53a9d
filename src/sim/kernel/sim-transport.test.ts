import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import type { Transport, TransportRequest } from '../../kube/client/transport.ts';
import { createKernel, type Kernel, type KernelOptions } from './kernel.ts';
import type { ByteSink } from './pipe.ts';
import { createSimTransport, type SimServer } from './sim-transport.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 3_600_000 };
const JSON_HEADERS = { 'content-type': 'application/json' };

const get = (path: string, signal = neverAborted()): TransportRequest => ({ method: 'GET', path, headers: {}, signal });

/** An API with one object and a watch that whoever holds `watchers` feeds. */
const createApi = (): { readonly server: SimServer; readonly watchers: Set<ByteSink>; readonly log: string[] } => {
  const watchers = new Set<ByteSink>();
  const log: string[] = [];
  const server: SimServer = ({ method, path }) => {
    log.push(`${method} ${path}`);
    if (path === '/missing') return { status: 404, headers: {}, body: '' };
    if (path !== '/watch') return { status: 200, headers: JSON_HEADERS, body: '{"kind":"Pod"}' };
    const start = (sink: ByteSink) => {
      watchers.add(sink);
      return () => watchers.delete(sink);
    };
    return { status: 200, headers: JSON_HEADERS, body: start };
  };
  return { server, watchers, log };
};

const readText = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text;
};

const outcomeOf = async (work: Promise<string>): Promise<string> =>
  await work.catch((error: unknown) => (error instanceof FleetError ? `[${error.kind}]` : String(error)));

const inActor = async (
  options: Partial<KernelOptions>,
  server: SimServer,
  work: (transport: Transport, kernel: Kernel) => Promise<void>,
): Promise<void> => {
  const kernel = createKernel({ seed: 1, ...options });
  kernel.boot('client', (actor) => work(createSimTransport({ actor, server, serverActor: 'api' }), kernel));
  await kernel.run(BOUNDS);
};

test('status, headers and body of a response come through, also of a refusal', async () => {
  const { server } = createApi();
  await inActor({}, server, async (transport) => {
    const found = await transport.send(get('/pod'));
    assert.deepEqual([found.status, found.headers, await readText(found.body)], [200, JSON_HEADERS, '{"kind":"Pod"}']);
    const missing = await transport.send(get('/missing'));
    assert.deepEqual([missing.status, await readText(missing.body)], [404, '']);
  });
});

test('a watch delivers what the server pushes, and the server stops when the client gives it up', async () => {
  const { server, watchers } = createApi();
  const seen: string[] = [];
  await inActor({}, server, async (transport, kernel) => {
    const { body } = await transport.send(get('/watch'));
    for (const [at, line] of ['one', 'two', 'three'].entries()) {
      kernel.schedule(100 * (at + 1), 'change', () => {
        for (const sink of watchers) sink.push(Buffer.from(line));
      });
    }
    for await (const chunk of body) {
      seen.push(Buffer.from(chunk).toString());
      if (seen.length === 2) break;
    }
  });
  assert.deepEqual(seen, ['one', 'two']);
  assert.equal(watchers.size, 0);
});

test('aborting ends the request, or the stream of a response under way', async () => {
  const { server, watchers } = createApi();
  await inActor({}, server, async (transport, kernel) => {
    const first = new AbortController();
    kernel.schedule(0, 'abort', () => first.abort());
    assert.equal(await outcomeOf(transport.send(get('/pod', first.signal)).then(() => 'answered')), '[cancelled]');
    const second = new AbortController();
    const { body } = await transport.send(get('/watch', second.signal));
    kernel.schedule(50, 'abort', () => second.abort());
    assert.equal(await outcomeOf(readText(body)), '[cancelled]');
  });
  assert.equal(watchers.size, 0);
});

const faults: readonly {
  readonly story: string;
  readonly network: NonNullable<KernelOptions['network']>;
  readonly path: string;
  readonly outcome: RegExp;
  readonly requests: number;
}[] = [
  {
    story: 'lost request',
    network: { default: { faults: { 'fail-before': 1 } } },
    path: '/pod',
    outcome: /^\[unavailable]$/,
    requests: 0,
  },
  {
    story: 'lost answer',
    network: { default: { faults: { 'fail-after': 1 } } },
    path: '/pod',
    outcome: /^\[unavailable]$/,
    requests: 1,
  },
  {
    story: 'lost answer to a watch',
    network: { default: { faults: { 'fail-after': 1 } } },
    path: '/watch',
    outcome: /^\[unavailable]$/,
    requests: 1,
  },
  {
    story: 'body cut short',
    network: { sites: { 'kube:body': { faults: { cut: 1 } } } },
    path: '/pod',
    outcome: /^\[unavailable]$/,
    requests: 1,
  },
  {
    story: 'doubled request',
    network: { sites: { 'kube:GET': { faults: { duplicate: 1 } } } },
    path: '/pod',
    outcome: /"Pod"/,
    requests: 2,
  },
];
for (const { story, network, path, outcome, requests } of faults) {
  test(`${story}: the client sees ${outcome.source}, the server ${requests} requests, and no watch stays behind`, async () => {
    const { server, log, watchers } = createApi();
    let seen = '';
    await inActor({ network }, server, async (transport) => {
      seen = await outcomeOf(transport.send(get(path)).then(({ body }) => readText(body)));
    });
    assert.match(seen, outcome);
    assert.equal(log.length, requests);
    assert.equal(watchers.size, 0);
  });
}

test('a client killed with a watch open leaves nothing at the server', async () => {
  const { server, watchers } = createApi();
  let open = 0;
  await inActor({}, server, async (transport, kernel) => {
    const { body } = await transport.send(get('/watch'));
    kernel.schedule(10, 'kill', () => {
      open = watchers.size;
      kernel.kill('client');
    });
    await readText(body);
  });
  assert.deepEqual([open, watchers.size], [1, 0]);
});

test('a watch that a dead client asked for, and the second one of a doubled request, are closed', async () => {
  const landing = createApi();
  const network = { default: { minLatencyMs: 10, landing: 1 } };
  await inActor({ network }, landing.server, async (transport, kernel) => {
    kernel.schedule(5, 'kill', () => kernel.kill('client'));
    await transport.send(get('/watch'));
  });
  assert.deepEqual([landing.log.length, landing.watchers.size], [1, 0]);

  const doubled = createApi();
  const doubling = { sites: { 'kube:GET': { faults: { duplicate: 1 } } } };
  await inActor({ network: doubling }, doubled.server, async (transport) => {
    const { body } = await transport.send(get('/watch'));
    await body[Symbol.asyncIterator]().return?.();
  });
  assert.deepEqual([doubled.log.length, doubled.watchers.size], [2, 0]);
});

test('a server that dies breaks its watches and refuses until it is back', async () => {
  const { server } = createApi();
  const seen: string[] = [];
  await inActor({}, server, async (transport, kernel) => {
    const { body } = await transport.send(get('/watch'));
    kernel.schedule(10, 'kill', () => kernel.restart('api', 1_000));
    seen.push(await outcomeOf(readText(body)));
    const again = (): Promise<string> => transport.send(get('/pod')).then((response) => readText(response.body));
    seen.push(await outcomeOf(again()));
    await new Promise<void>((resolve) => kernel.actor('client').clock.schedule(2_000, resolve));
    seen.push(await outcomeOf(again()));
  });
  assert.deepEqual(seen, ['[unavailable]', '[unavailable]', '{"kind":"Pod"}']);
});
