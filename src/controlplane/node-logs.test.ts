import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createSystemClock } from '../base/clock.ts';
import { createSeededRandom } from '../base/random.ts';
import type { Transport } from '../kube/client/transport.ts';
import { createAuthority } from '../pki/authority.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { createKeyPair } from '../pki/key.ts';
import { createServeNode, type NodeServer } from '../sim/node/node-server.ts';
import type { NodeLog } from './api/node-log.ts';
import { ApiRefusal } from './api/refusal.ts';
import { issueServerCertificate } from './auth/client-certificate.ts';
import { connectNodeByTls, KUBELET_CLIENT } from './node-connection.ts';
import { createNodeLogs, findEndpoint } from './node-logs.ts';
import type { StoredObject } from './store/object.ts';

const clock = createSystemClock();
const random = createSeededRandom('node-logs');
const DAY_MS = 86_400_000;
const authorityOf = (commonName: string) => {
  const life = { notBeforeMs: clock.now() - DAY_MS, notAfterMs: clock.now() + DAY_MS };
  return createAuthority({
    subject: { commonName, organizations: [] },
    keyPair: createKeyPair(random),
    random,
    ...life,
  });
};
const ours = authorityOf('ours');
const theirs = authorityOf('theirs');

const pod: StoredObject = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'ns', name: 'p' } };
const nodeAt = (port: number | undefined, addresses: readonly object[]): StoredObject => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
  status: { addresses, ...(port !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: port } } }) },
});
const LOOPBACK = [{ type: 'InternalIP', address: '127.0.0.1' }];

const collect = (log: NodeLog): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const push = (chunk: Uint8Array): void => {
      text += Buffer.from(chunk).toString();
    };
    log({ push, end: () => resolve(text), fail: (why) => resolve(`${text}broken: ${why}`) });
  });

const refusalOf = async (opening: Promise<NodeLog>): Promise<string> => {
  const error = await opening.then(
    () => assert.fail('it was opened'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiRefusal, String(error));
  return `${error.reason}: ${error.message}`;
};

describe('the endpoint of a Node', () => {
  it('is its address inside the cluster before any other, with the port of its agent', () => {
    const addresses = [{ type: 'Hostname', address: 'n' }, { type: 'ExternalIP', address: '1.2.3.4' }, ...LOOPBACK];
    assert.deepEqual(findEndpoint(nodeAt(10250, addresses)), { host: '127.0.0.1', port: 10250 });
    assert.deepEqual(findEndpoint(nodeAt(1, addresses.slice(0, 1))), { host: 'n', port: 1 });
  });

  it('is missing when its agent serves nothing, or nobody knows where it is', () => {
    assert.throws(() => findEndpoint(nodeAt(undefined, LOOPBACK)), /kubeletEndpoint.Port is not set/);
    assert.throws(() => findEndpoint(nodeAt(1, [])), /it reports no address/);
  });
});

describe('the way to the log of a Pod', () => {
  const servers: NodeServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));
  const asked: string[] = [];

  /** An agent whose certificate comes from that authority, for that address. */
  const serve = async (authority: typeof ours, ipAddress: string): Promise<number> => {
    const server = await createServeNode({
      ...{ host: '127.0.0.1', clientAuthority: renderCertificate(ours.certificate), caller: KUBELET_CLIENT.name },
    })(({ path }) => {
      asked.push(path);
      return { status: 200, headers: {}, body: 'a line\n' };
    });
    servers.push(server);
    const { certificate, key } = issueServerCertificate(
      { authority, clock, random },
      { dnsNames: ['n'], ipAddresses: [ipAddress] },
    );
    server.useCertificate?.({ certificatePem: certificate, keyPem: key });
    return server.port;
  };
  const open = createNodeLogs(connectNodeByTls({ authority: ours, clock, random }));
  const request = (port: number, options = '') => ({
    ...{ pod, node: nodeAt(port, LOOPBACK), container: 'c d', options: new URLSearchParams(options) },
  });

  it('leads to the agent, which knows who asks, with all that was asked for', async () => {
    const port = await serve(ours, '127.0.0.1');
    const query = 'follow=true&tailLines=5&timestamps=true&sinceSeconds=3&limitBytes=9&previous=true';
    assert.equal(await collect(await open(request(port, query))), 'a line\n');
    assert.deepEqual(asked, [`/containerLogs/ns/p/c%20d?${query}`]);
  });

  it('ends at a certificate of another authority', async () => {
    const said = await refusalOf(open(request(await serve(theirs, '127.0.0.1'))));
    assert.match(said, /^InternalError: the agent of Node n at 127.0.0.1:\d+ cannot be asked: /);
    assert.match(said, /certificate is not signed by the authority we trust/);
  });

  it('ends at a certificate for another address', async () => {
    const said = await refusalOf(open(request(await serve(ours, '127.0.0.2'))));
    assert.match(said, /certificate is for other names than the one we call/);
  });

  it('ends where nobody listens', async () => {
    const port = await serve(ours, '127.0.0.1');
    await servers.at(-1)?.close();
    assert.match(await refusalOf(open(request(port))), /^InternalError: .*cannot be asked: /);
  });
});

describe('what the agent answers', () => {
  const answering = (status: number, body: AsyncIterable<Uint8Array>) => {
    const seen = { closed: 0, aborted: false };
    const transport: Transport = {
      send: async ({ signal }) => {
        signal.addEventListener('abort', () => {
          seen.aborted = true;
        });
        return { status, headers: {}, body };
      },
      close: async () => {
        seen.closed += 1;
      },
    };
    const open = createNodeLogs(() => transport);
    const request = { pod, node: nodeAt(1, LOOPBACK), container: 'c', options: new URLSearchParams() };
    return { seen, open: () => open(request) };
  };
  async function* say(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }

  const refusals: readonly (readonly [number, string])[] = [
    [400, 'BadRequest: container is waiting'],
    [404, 'NotFound: the server could not find the requested resource: container is waiting'],
    [500, 'InternalError: Internal error occurred: the agent answered 500: container is waiting'],
  ];
  for (const [status, expected] of refusals) {
    it(`is said on: ${status}`, async () => {
      const { seen, open } = answering(status, say('container is waiting\n'));
      assert.equal(await refusalOf(open()), expected);
      assert.equal(seen.closed, 1);
    });
  }

  it('is no longer read when nobody reads it here', async () => {
    const never = Promise.withResolvers<void>();
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('first\n');
      await never.promise;
    }
    const { seen, open } = answering(200, silent());
    const log = await open();
    const first = Promise.withResolvers<void>();
    const stop = log({ push: () => first.resolve(), end: () => undefined, fail: () => undefined });
    await first.promise;
    stop();
    assert.deepEqual(seen, { closed: 1, aborted: true });
    never.resolve();
  });

  it('is read as fast as it is read here', async () => {
    async function* lines(): AsyncGenerator<Uint8Array> {
      for (let line = 0; line < 10; line += 1) yield Buffer.from('line\n');
    }
    const { open } = answering(200, lines());
    const log = await open();
    let pushed = 0;
    const asks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const rooms = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let at = 0;
    const room = async (): Promise<void> => {
      asks[at]?.resolve();
      const made = rooms[at];
      at += 1;
      await made?.promise;
    };
    const push = (): void => {
      pushed += 1;
    };
    const stop = log({ push, room, end: () => undefined, fail: () => undefined });
    await asks[0]?.promise;
    assert.equal(pushed, 1);
    rooms[0]?.resolve();
    await asks[1]?.promise;
    assert.equal(pushed, 2);
    stop();
  });

  it('breaks here when it breaks there', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('cable pulled');
    }
    const { open } = answering(200, broken());
    assert.equal(await collect(await open()), 'halfbroken: cable pulled');
  });
});
