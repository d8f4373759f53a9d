import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Credentials, CredentialsSource } from './login/credentials.ts';
import { createTestCertificates, type KeyPair } from './testing/certificates.ts';
import { type LoopbackServer, startLoopbackServer } from './testing/loopback-server.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { createUndiciTransport, type UndiciTransportOptions } from './undici-transport.ts';

const certificates = createTestCertificates();
const withTls = certificates === undefined ? { skip: 'openssl is not installed' } : {};
const cleanUp: (() => Promise<void> | void)[] = [() => certificates?.dispose()];
after(async () => {
  for (const run of cleanUp.reverse()) await run();
});

const fixed = (credentials: Credentials): CredentialsSource => ({
  current: async () => credentials,
  renew: async () => credentials,
});

const serve = async (handle: RequestListener, pair?: KeyPair): Promise<LoopbackServer> => {
  const tls = pair && { ...pair, ca: certificates?.ca, requestCert: true, rejectUnauthorized: false };
  const server = await startLoopbackServer(handle, tls);
  cleanUp.push(() => server.close());
  return server;
};

const connect = (server: string, options: Partial<UndiciTransportOptions> = {}): Transport => {
  const ca = certificates && { caPem: certificates.ca };
  const transport = createUndiciTransport({
    server,
    source: 'the test',
    verifyServer: 'yes',
    credentials: fixed({}),
    ...ca,
    ...options,
  });
  cleanUp.push(() => transport.close());
  return transport;
};

const request = (overrides: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  path: '/x',
  headers: {},
  signal: neverAborted(),
  ...overrides,
});

const read = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const call = async (transport: Transport, overrides: Partial<TransportRequest> = {}): Promise<string> => {
  const { status, body } = await transport.send(request(overrides));
  return `${status} ${await read(body)}`;
};

const hello: RequestListener = (_, response) => response.end('hello');

describe('over TLS', withTls, () => {
  const server = (handle: RequestListener, ...issue: Parameters<NonNullable<typeof certificates>['issue']> | []) =>
    serve(handle, certificates?.issue(issue[0] ?? 'localhost', issue[1]));

  it('a hundred calls one after another share one connection, deletes with a body among them', async () => {
    const counted = await server((incoming, response) => {
      incoming.resume().on('end', () => response.end(incoming.headers['content-length'] ?? '0'));
    });
    const transport = connect(`https://localhost:${counted.port}`);
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
    for (let at = 0; at < 100; at += 1) {
      const method = methods[at % 5] ?? 'GET';
      assert.equal(
        await call(transport, method === 'GET' ? {} : { method, body: '{"a":1}' }),
        method === 'GET' ? '200 0' : '200 7',
      );
    }
    assert.equal(counted.connections, 1);
  });

  it('sends the token, the path behind the base address, and gives the headers', async () => {
    const { port } = await server((incoming, response) => {
      response.setHeader('Retry-After', '7').setHeader('Warning', ['a', 'b']);
      response.statusCode = 429;
      response.end(`${incoming.url} ${incoming.headers.authorization}`);
    });
    const transport = connect(`https://localhost:${port}/k8s/clusters/c1/`, {
      credentials: fixed({ token: new Secret('abc') }),
    });
    const response = await transport.send(request({ path: '/api?x=1' }));
    assert.deepEqual(
      [response.status, response.headers['retry-after'], response.headers['warning']],
      [429, '7', 'a, b'],
    );
    assert.equal(await read(response.body), '/k8s/clusters/c1/api?x=1 Bearer abc');
  });

  const peerName: RequestListener = (incoming, response) => {
    const { subject } = (incoming.socket as TLSSocket).getPeerCertificate();
    response.end(String(subject?.CN));
  };

  it('shows the client certificate, and a new one on a new connection while old requests end in peace', async () => {
    let finishFirst: () => void = () => undefined;
    const counted = await server((incoming, response) => {
      if (incoming.url !== '/slow') return peerName(incoming, response);
      response.write('begun ');
      finishFirst = () => response.end('done');
    });
    const identity = (name: string): Credentials => {
      const pair = certificates?.issue(name);
      return { certificate: { certificatePem: pair?.cert ?? '', keyPem: new Secret(pair?.key ?? '') } };
    };
    const [old, fresh] = [identity('old'), identity('new')];
    let current = old;
    const transport = connect(`https://localhost:${counted.port}`, {
      credentials: { current: async () => current, renew: async () => current },
    });
    assert.equal(await call(transport), '200 old');
    const slow = await transport.send(request({ path: '/slow' }));
    current = fresh;
    assert.equal(await call(transport), '200 new');
    assert.equal(await call(transport), '200 new');
    finishFirst();
    assert.equal(await read(slow.body), 'begun done');
    assert.equal(counted.connections, 2);
  });

  const rows: readonly (readonly [string, () => Promise<string>, object])[] = [
    [
      'an expired certificate',
      async () => call(connect(`https://localhost:${(await server(hello, 'localhost', { days: -1 })).port}`)),
      { kind: 'denied', code: 'ServerCertificateExpired', hint: /Renew the API server's certificate/ },
    ],
    [
      'a certificate for other names',
      async () => call(connect(`https://localhost:${(await server(hello, 'x', { san: 'DNS:elsewhere' })).port}`)),
      { kind: 'denied', code: 'ServerNameMismatch', hint: /server address in the test, or set tls-server-name/ },
    ],
    [
      'an authority that we do not know',
      async () => {
        const stranger = createTestCertificates();
        cleanUp.push(() => stranger?.dispose());
        return call(connect(`https://localhost:${(await server(hello)).port}`, { caPem: stranger?.ca ?? '' }));
      },
      { kind: 'denied', code: 'ServerCertificateUntrusted', hint: /certificate-authority in the test/ },
    ],
    [
      'a server without TLS',
      async () => call(connect(`https://localhost:${(await serve(hello)).port}`)),
      { kind: 'contract', code: 'NotTls' },
    ],
    [
      'a key that does not fit its certificate',
      async () => {
        const [one, two] = [certificates?.issue('one'), certificates?.issue('two')];
        const certificate = { certificatePem: one?.cert ?? '', keyPem: new Secret(two?.key ?? '') };
        return call(
          connect(`https://localhost:${(await server(hello)).port}`, { credentials: fixed({ certificate }) }),
        );
      },
      { kind: 'denied', code: 'BadCertificateData' },
    ],
  ];
  for (const [story, run, expected] of rows) {
    it(`${story} is ${JSON.stringify(expected)}`, () => assert.rejects(run, expected));
  }

  it('another server name makes up for an address that the certificate does not have', async () => {
    const { port } = await server(hello, 'x', { san: 'DNS:kubernetes' });
    assert.equal(await call(connect(`https://127.0.0.1:${port}`, { serverName: 'kubernetes' })), '200 hello');
  });

  it('whoever asks for it is not verified', async () => {
    const { port } = await server(hello, 'x', { san: 'DNS:elsewhere', days: -1 });
    assert.equal(await call(connect(`https://localhost:${port}`, { verifyServer: 'no' })), '200 hello');
  });
});

describe('a connection', () => {
  const http = async (handle: RequestListener, options: Partial<UndiciTransportOptions> = {}): Promise<Transport> =>
    connect(`http://127.0.0.1:${(await serve(handle)).port}`, options);

  it('that is refused sent nothing', async () => {
    const gone = await startLoopbackServer(hello);
    await gone.close();
    await assert.rejects(call(connect(`http://127.0.0.1:${gone.port}`)), {
      kind: 'unavailable',
      code: 'ConnectFailed',
    });
    await assert.rejects(call(connect(`http://localhost:${gone.port}`)), {
      kind: 'unavailable',
      code: 'ConnectFailed',
    });
  });

  it('to a name that does not exist sent nothing', () =>
    assert.rejects(call(connect('http://no-such-name.invalid')), { kind: 'unavailable', code: 'ConnectFailed' }));

  it('that breaks before the answer may have sent everything', async () => {
    const transport = await http((incoming) => incoming.socket.destroy());
    await assert.rejects(call(transport, { method: 'POST', body: '{}' }), {
      kind: 'unavailable',
      code: 'ConnectionLost',
    });
  });

  it('that breaks within the body is an error, not an end', async () => {
    const transport = await http((_, response) => {
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const { body } = await transport.send(request());
    await assert.rejects(read(body), { kind: 'unavailable', code: 'ConnectionLost' });
  });

  it('that breaks within the body is an error also where the server had announced to close it', async () => {
    const transport = await http((_, response) => {
      response.setHeader('connection', 'close').write('half');
      setImmediate(() => response.socket?.end());
    });
    const { body } = await transport.send(request());
    await assert.rejects(read(body), { kind: 'unavailable', code: 'ConnectionLost' });
  });

  it('that ends before the announced length is an error, not an end', async () => {
    const transport = await http((_, response) => {
      response.setHeader('content-length', '100').write('half');
      setImmediate(() => response.destroy());
    });
    const { body } = await transport.send(request());
    await assert.rejects(read(body), { kind: 'unavailable', code: 'ConnectionLost' });
  });

  it('to something that speaks no HTTP says so', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    cleanUp.push(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await assert.rejects(call(connect(`http://127.0.0.1:${port}`)), { kind: 'contract', code: 'NotHttp' });
  });

  it('is given up when the caller aborts before the answer', async () => {
    const controller = new AbortController();
    const transport = await http(() => controller.abort());
    await assert.rejects(call(transport, { signal: controller.signal }), { kind: 'cancelled' });
  });

  it('ends with the reason of the abort, within the body too', async () => {
    const controller = new AbortController();
    const stalled = new FleetError('unavailable', { code: 'WatchStalled', message: 'no bytes' });
    const transport = await http((_, response) => response.write('half'));
    const { body } = await transport.send(request({ signal: controller.signal }));
    const reading = read(body);
    setImmediate(() => controller.abort(stalled));
    await assert.rejects(reading, { code: 'WatchStalled' });
  });

  it('that is aborted without a reason is cancelled, within the body too', async () => {
    const controller = new AbortController();
    const transport = await http((_, response) => response.write('half'));
    const { body } = await transport.send(request({ signal: controller.signal }));
    const reading = read(body);
    setImmediate(() => controller.abort());
    await assert.rejects(reading, { kind: 'cancelled' });
  });

  it('that is closed before its first use is never made', async () => {
    const transport = await http(hello);
    await transport.close();
    await assert.rejects(call(transport), { kind: 'cancelled', code: 'TransportClosed' });
  });

  it('is given up when nobody reads on', async () => {
    let ended: (value: unknown) => void = () => undefined;
    const over = new Promise((resolve) => {
      ended = resolve;
    });
    const transport = await http((_, response) => {
      response.on('close', ended).write('some');
    });
    const { body } = await transport.send(request());
    for await (const chunk of body) if (chunk.byteLength > 0) break;
    await over;
  });

  it('that is closed by us cancels what is under way and all that follows', async () => {
    const arrived = Promise.withResolvers<void>();
    const transport = await http(() => arrived.resolve());
    const waiting = call(transport);
    await arrived.promise;
    await Promise.all([transport.close(), assert.rejects(waiting, { kind: 'cancelled', code: 'TransportClosed' })]);
    await assert.rejects(call(transport), { kind: 'cancelled', code: 'TransportClosed' });
  });
});

describe('a permit', () => {
  it('is asked once the connection is there, and then nothing of the request leaves', withTls, async () => {
    const seen: string[] = [];
    const SNICallback: TlsOptions['SNICallback'] = (_name, proceed) => {
      seen.push('handshake');
      proceed(null);
    };
    const handle: RequestListener = (incoming, response) => {
      seen.push(`${incoming.method}`);
      response.end('hello');
    };
    const server = await startLoopbackServer(handle, { ...certificates?.issue('localhost'), SNICallback });
    cleanUp.push(() => server.close());
    const lost = new FleetError('cancelled', { code: 'LeaderLeaseLost', message: 'no longer leader' });
    const permit = (): void => {
      seen.push('asked');
      throw lost;
    };
    const transport = connect(`https://localhost:${server.port}`);
    await assert.rejects(call(transport, { method: 'POST', body: '{}', permit }), lost);
    assert.equal(await call(transport), '200 hello');
    assert.deepEqual(seen, ['handshake', 'asked', 'GET']);
  });

  it('that is given lets the request through', async () => {
    let asked = 0;
    const permit = (): void => {
      asked += 1;
    };
    const server = await serve(hello);
    const transport = connect(`http://127.0.0.1:${server.port}`);
    assert.equal(await call(transport, { method: 'POST', body: '{}', permit }), '200 hello');
    assert.equal(asked, 1);
  });
});

describe('a 401', () => {
  const tokens = (first: string, renewed: string) => {
    const shown: Credentials = { token: new Secret(first) };
    let renewals = 0;
    const source: CredentialsSource = {
      current: async () => shown,
      renew: async () => {
        renewals += 1;
        return renewed === first ? shown : { token: new Secret(renewed) };
      },
    };
    return { source, renewals: () => renewals };
  };
  const guard: RequestListener = (incoming, response: ServerResponse) => {
    response.statusCode = incoming.headers.authorization === 'Bearer good' ? 200 : 401;
    incoming.resume().on('end', () => response.end(`${incoming.method}`));
  };
  const against = async (source: CredentialsSource): Promise<Transport> =>
    connect(`http://127.0.0.1:${(await serve(guard)).port}`, { credentials: source });

  it('makes us look for newer credentials, and the request is sent again with its body', async () => {
    const { source, renewals } = tokens('stale', 'good');
    assert.equal(await call(await against(source), { method: 'POST', body: '{}' }), '200 POST');
    assert.equal(renewals(), 1);
  });

  it('is the answer when there are none', async () => {
    const { source } = tokens('stale', 'stale');
    let requests = 0;
    const server = await serve((incoming, response) => {
      requests += 1;
      guard(incoming, response);
    });
    assert.equal(await call(connect(`http://127.0.0.1:${server.port}`, { credentials: source })), '401 GET');
    assert.equal(requests, 1);
  });

  it('is the answer when newer ones are refused too', async () => {
    const { source, renewals } = tokens('stale', 'bad');
    assert.equal(await call(await against(source)), '401 GET');
    assert.equal(renewals(), 1);
  });

  it('gives way to the reason why there are none', async () => {
    const failure = new FleetError('denied', { code: 'ExecPluginFailed', message: 'no' });
    const source: CredentialsSource = { current: async () => ({}), renew: () => Promise.reject(failure) };
    await assert.rejects(call(await against(source)), failure);
  });

  it('to a certificate that has expired is an error which says so', withTls, async () => {
    const { cert = '', key = '' } = certificates?.issue('late', { days: -1 }) ?? {};
    const credentials = fixed({ certificate: { certificatePem: cert, keyPem: new Secret(key) } });
    const server = await serve(guard, certificates?.issue('localhost'));
    await assert.rejects(call(connect(`https://localhost:${server.port}`, { credentials })), {
      kind: 'denied',
      code: 'ClientCertificateExpired',
      message: /expired at \d{4}-/,
      hint: /the test/,
    });
  });

  it('to a certificate that is valid stays a 401', withTls, async () => {
    const { cert = '', key = '' } = certificates?.issue('nobody') ?? {};
    const credentials = fixed({ certificate: { certificatePem: cert, keyPem: new Secret(key) } });
    const server = await serve(guard, certificates?.issue('localhost'));
    assert.equal(await call(connect(`https://localhost:${server.port}`, { credentials })), '401 GET');
  });
});
