import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { createGitHub, type SendToGitHub } from './github-api.ts';
import { createSimGitHub } from './testing/sim-github.ts';

const PAIR = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const OTHER = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const pem = (pair: typeof PAIR, type: 'pkcs1' | 'pkcs8'): Secret<string> =>
  new Secret(pair.privateKey.export({ format: 'pem', type }).toString());

const stage = (send?: SendToGitHub) => {
  const clock = createManualClock();
  const publicKey = PAIR.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const sim = createSimGitHub({ appId: '7', installationId: '42', organisation: 'tuist', publicKey, nowMs: clock.now });
  return { sim, github: createGitHub({ send: send ?? sim.send, clock }) };
};

const app = { appId: '7', installationId: '42' };
const answering =
  (status: number, text: string): SendToGitHub =>
  async () => ({ status, text: async () => text });

describe('a registration token of GitHub (T-70)', () => {
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    it(`is made by two calls, with a key in ${type}`, async () => {
      const { sim, github } = stage();
      const token = await github.registrationToken({ ...app, privateKey: pem(PAIR, type) }, 'tuist', neverAborted());
      assert.equal(token.reveal(), 'registration-1');
      assert.deepEqual(sim.asked, [
        'POST /app/installations/42/access_tokens',
        'POST /orgs/tuist/actions/runners/registration-token',
      ]);
    });
  }

  const privateKey = pem(PAIR, 'pkcs8');
  const rows = [
    {
      story: 'the key of another App',
      app: { ...app, privateKey: pem(OTHER, 'pkcs8') },
      kind: 'denied',
      message: /401/,
    },
    {
      story: 'another organisation',
      app: { ...app, privateKey },
      org: 'nobody',
      kind: 'not-found',
      message: /404.*Not Found/,
    },
    {
      story: 'another installation',
      app: { ...app, installationId: '../7', privateKey },
      kind: 'not-found',
      message: /404/,
    },
    {
      story: 'a key that is none',
      app: { ...app, privateKey: new Secret('hello') },
      kind: 'invalid',
      message: /no RSA key/,
    },
    {
      story: 'an answer without a token',
      app: { ...app, privateKey },
      send: answering(201, '{}'),
      kind: 'contract',
      message: /holds no token/,
    },
    {
      story: 'an answer that is no JSON',
      app: { ...app, privateKey },
      send: answering(201, '<html>'),
      kind: 'contract',
      message: /holds no token/,
    },
    {
      story: 'GitHub in trouble',
      app: { ...app, privateKey },
      send: answering(502, 'Bad Gateway'),
      kind: 'unavailable',
      message: /502.*Bad Gateway/,
    },
    {
      story: 'a line that is down',
      app: { ...app, privateKey },
      send: (): Promise<never> => Promise.reject(new Error('ECONNRESET')),
      kind: 'unavailable',
      message: /did not answer/,
    },
  ];
  for (const { story, app: given, org = 'tuist', send, kind, message } of rows) {
    it(`is refused with what is wrong: ${story}`, async () => {
      const { github } = stage(send);
      await assert.rejects(github.registrationToken(given, org, neverAborted()), { kind, message });
    });
  }
});
