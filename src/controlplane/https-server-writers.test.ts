/** Many clients that write one object at once: each write is applied or refused as a conflict, and none is lost. */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { after, before, test } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { isRecord } from '../base/json.ts';
import { silentLogger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { issueServerCertificate } from './auth/client-certificate.ts';
import { createControlPlane } from './control-plane.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';
import { fieldsOf } from './store/object.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const logger = silentLogger;
const knownTokens = [{ token: new Secret('t0ken'), user: { name: 'robot', groups: ['system:masters'] } }];
const plane = createControlPlane({ clock, random, logger, knownTokens, dataFile: ':memory:' });
const authority = renderCertificate(plane.authority.certificate);
const COLLECTION = '/api/v1/namespaces/default/configmaps';
const OBJECT = `${COLLECTION}/shared`;
let server: HttpsServer;

before(async () => {
  server = await startHttpsServer({
    ...{ api: plane.api, tokens: plane.tokens, clock, logger, port: 0, clientAuthority: authority },
    serving: issueServerCertificate(
      { authority: plane.authority, clock, random },
      { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] },
    ),
  });
});

after(async () => {
  plane.close();
  await server.close();
});

interface Answer {
  readonly status: number;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly object: unknown;
}

/** A client with one connection of its own. */
const openClient = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority });
  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { authorization: 'Bearer t0ken', 'content-type': type };
      const sending = request(`${server.url}${path}`, { method, headers, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(toAnswer(response.statusCode ?? 0, JSON.parse(text))));
      });
      sending.on('error', reject);
      sending.end(body && JSON.stringify(body));
    });
  return { ask, close: () => agent.destroy() };
};

const toAnswer = (status: number, object: unknown): Answer => {
  const { metadata, data } = fieldsOf(object);
  return { status, version: Number(fieldsOf(metadata)['resourceVersion']), data: fieldsOf(data), object };
};

type Client = ReturnType<typeof openClient>;

/** Reads, adds one and writes what it read, until that was not refused; gives the versions it wrote. */
const count = async ({ ask }: Client, times: number): Promise<readonly number[]> => {
  const written: number[] = [];
  while (written.length < times) {
    const { object, data } = await ask('GET', OBJECT);
    assert.ok(isRecord(object));
    const next = { ...object, data: { ...data, counter: String(Number(data['counter']) + 1) } };
    const { status, version } = await ask('PUT', OBJECT, next);
    assert.ok(status === 200 || status === 409, `a write was answered with ${status}`);
    if (status === 200) written.push(version);
  }
  return written;
};

/** Sets a field of its own without having read anything: that is never a conflict. */
const mark = async ({ ask }: Client, name: string, times: number): Promise<readonly number[]> => {
  const written: number[] = [];
  for (let time = 1; time <= times; time += 1) {
    const { status, version } = await ask('PATCH', OBJECT, { data: { [name]: String(time) } });
    assert.equal(status, 200);
    written.push(version);
  }
  return written;
};

test('of 50 clients that write one object, each gets its write through or a conflict, and none is lost', async () => {
  const [counters, markers, times] = [25, 25, 4];
  const clients = Array.from({ length: counters + markers }, openClient);
  const [first] = clients;
  assert.ok(first);
  const made = await first.ask('POST', COLLECTION, { metadata: { name: 'shared' }, data: { counter: '0' } });
  const written = await Promise.all(
    clients.map((client, at) => (at < counters ? count(client, times) : mark(client, `client-${at}`, times))),
  );
  const last = await first.ask('GET', OBJECT);
  for (const client of clients) client.close();

  assert.equal(last.data['counter'], String(counters * times));
  for (let at = counters; at < clients.length; at += 1) assert.equal(last.data[`client-${at}`], String(times));
  for (const versions of written)
    assert.deepEqual(
      versions,
      versions.toSorted((left, right) => left - right),
    );
  const versions = written.flat().toSorted((left, right) => left - right);
  assert.deepEqual(versions, [...new Set(versions)], 'two writes got one version');
  assert.equal(last.version, versions.at(-1));
  assert.deepEqual(await seenBetween(made.version, last.version), versions, 'watchers see each of them once, in order');
});

/** The versions of all changes of the object after one and up to another, as a watch tells them. */
const seenBetween = async (from: number, to: number): Promise<readonly number[]> => {
  const user = { name: 'robot', groups: ['system:masters'] };
  const path = `${COLLECTION}?watch=1&resourceVersion=${from}`;
  const { body } = await plane.transportFor(user).send({ method: 'GET', path, headers: {}, signal: neverAborted() });
  const versions: number[] = [];
  for await (const line of body) {
    versions.push(toAnswer(200, fieldsOf(JSON.parse(Buffer.from(line).toString()))['object']).version);
    if ((versions.at(-1) ?? 0) >= to) break;
  }
  return versions;
};
