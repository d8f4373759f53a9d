/** What happens around one call of the SDK: keys that are refused, looks that grew old, deadlines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { SIMULATED_KEY } from '../port/simulated-key.ts';
import type { CloudRequest, CloudResponse } from '../port/transport.ts';
import { connectCloud } from './connect.ts';
import { createCredentialSource } from './credentials.ts';

const signal = neverAborted();
const SERVER = { zone: 'fr-par-1', id: '11111111-1111-4111-8111-111111111111' };
const PROJECT = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';
const NEW_SECRET = '99999999-2222-3333-4444-555555555555';
const JSON_TYPE = { 'content-type': 'application/json' };

const start = (
  answer: (request: CloudRequest) => Promise<CloudResponse> | CloudResponse,
  requests = { burst: 100, perSecond: 20 },
) => {
  const clock = createManualClock();
  const files: Record<string, string> = { 'd/SCW_SECRET_KEY': SIMULATED_KEY.secretKey };
  const env = { SCW_ACCESS_KEY: SIMULATED_KEY.accessKey, SCW_DEFAULT_PROJECT_ID: PROJECT };
  const credentials = createCredentialSource({ env, directory: 'd', readText: async (path) => files[path] }, clock);
  const sent: CloudRequest[] = [];
  const transport = async (request: CloudRequest): Promise<CloudResponse> => {
    sent.push(request);
    return answer(request);
  };
  const cloud = connectCloud({
    ...{ transport, credentials, clock, random: createSeededRandom(1), requests },
  });
  return { clock, files, cloud, sent };
};

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const server = (): CloudResponse => ({ status: 200, headers: JSON_TYPE, body: JSON.stringify({ id: SERVER.id }) });

describe('a key that is refused', () => {
  const refusing = ({ headers }: CloudRequest): CloudResponse =>
    headers['x-auth-token'] === NEW_SECRET
      ? server()
      : { status: 401, headers: JSON_TYPE, body: JSON.stringify({ type: 'denied_authentication', reason: 'expired' }) };

  test('is looked for again at once, where it is kept', async () => {
    const { cloud, files, sent } = start(refusing);
    await assert.rejects(cloud.getServer(SERVER, signal), { code: 'AuthenticationDenied' });
    files['d/SCW_SECRET_KEY'] = NEW_SECRET;
    assert.equal((await cloud.getServer(SERVER, signal)).id, SERVER.id);
    assert.equal(sent.length, 2);
  });

  test('is told as it is while there is no other, and never printed', async () => {
    const { cloud } = start(refusing);
    for (let count = 0; count < 2; count += 1) {
      await assert.rejects(cloud.getServer(SERVER, signal), (error: Error) => {
        assert.doesNotMatch(`${error.message} ${error.stack}`, new RegExp(SIMULATED_KEY.secretKey));
        return 'code' in error && error.code === 'AuthenticationDenied';
      });
    }
  });
});

describe('a write with a time until which it may be sent', () => {
  test('is sent before it', async () => {
    const { clock, cloud, sent } = start(server);
    await cloud.renameServer(SERVER, 'a', { signal, sendBeforeMs: clock.elapsed() + 1 });
    assert.equal(sent.length, 1);
  });

  test('never leaves after it (R13)', async () => {
    const { clock, cloud, sent } = start(server);
    const call = cloud.renameServer(SERVER, 'a', { signal, sendBeforeMs: clock.elapsed() });
    await assert.rejects(call, { kind: 'conflict', code: 'LookTooOld' });
    assert.equal(sent.length, 0);
  });
});

describe('a look in a line of ten seconds', () => {
  const SLOW = { burst: 1, perSecond: 0.1 };

  test('is as old as its request, not as its wait (R13)', async () => {
    const { clock, cloud, sent } = start(server, SLOW);
    await cloud.getServer(SERVER, signal);
    const beganMs = clock.elapsed();
    const look = cloud.getServer(SERVER, signal);
    await settle();
    assert.equal(sent.length, 1);
    clock.advance(10_000);
    assert.equal((await look).askedAtMs, beganMs + 10_000);
  });

  test('can be acted on at once: its write does not stand in that line', async () => {
    const { clock, cloud, sent } = start(server, SLOW);
    const { askedAtMs } = await cloud.getServer(SERVER, signal);
    await cloud.renameServer(SERVER, 'a', { signal, sendBeforeMs: askedAtMs + 1 });
    assert.equal(sent.length, 2);
    const next = cloud.getServer(SERVER, signal);
    clock.advance(19_999);
    await settle();
    assert.equal(sent.length, 2, 'the next look waits for both');
    clock.advance(1);
    assert.equal((await next).id, SERVER.id);
  });
});

test('a request that nobody answers is given up after half a minute, and may have had its effect', async () => {
  const { clock, cloud, sent } = start(() => new Promise(() => undefined));
  const call = cloud.renameServer(SERVER, 'a', { signal });
  const ended = assert.rejects(call, { kind: 'unavailable' });
  while (sent.length === 0) await settle();
  clock.advance(30_000);
  await ended;
});
