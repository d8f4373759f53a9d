import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { createKeyPair } from '../../../pki/key.ts';
import { parseStoredObject } from '../../store/object.ts';
import { authenticate } from '../authenticate.ts';
import { createAccessWorld } from '../testing/access-world.ts';
import { createGuardedWorld } from '../testing/guarded-world.ts';
import { ANONYMOUS } from '../user.ts';
import { type Claims, signJwt } from './jwt.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const createTokenWorld = () => {
  const world = createAccessWorld();
  const { tokens, clock, signingKey } = world;
  const nowSeconds = Math.floor(clock.now() / 1_000);
  const good: Claims = {
    ...{ aud: tokens.audiences, iss: tokens.issuer, jti: 'j', sub: 'system:serviceaccount:a:builder' },
    ...{ iat: nowSeconds, nbf: nowSeconds, exp: nowSeconds + 3_600 },
    'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'builder', uid: 'uid-of-builder' } },
  };
  const sign = (changes: object): string => signJwt({ ...good, ...changes }, signingKey);
  return { ...world, nowSeconds, good, sign };
};

const INVALID = 'invalid bearer token';

describe("a ServiceAccount's token", () => {
  const { tokens, sign, good, nowSeconds, random, put, store } = createTokenWorld();
  const bound = (ref: object) => ({
    'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'builder', uid: 'uid-of-builder' }, ...ref },
  });

  it('speaks for its account, in its groups', () => {
    assert.deepEqual(tokens.read(sign({})), {
      is: 'good',
      audiences: tokens.audiences,
      user: {
        name: 'system:serviceaccount:a:builder',
        uid: 'uid-of-builder',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:a', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': ['JTI=j'] },
      },
    });
  });

  const [head, body, signature] = sign({}).split('.');
  const hmac = createHmac('sha256', 'guess')
    .update(`${encode({ alg: 'HS256' })}.${body}`)
    .digest('base64url');
  const other = createKeyPair(random);
  const rows = [
    { story: 'without a signature', token: `${encode({ alg: 'none' })}.${body}.` },
    { story: 'that says alg none and keeps a signature', token: `${encode({ alg: 'none' })}.${body}.${signature}` },
    { story: 'signed with a shared secret', token: `${encode({ alg: 'HS256' })}.${body}.${hmac}` },
    { story: 'signed with another key', token: signJwt(good, other) },
    {
      story: 'changed after it was signed',
      token: `${head}.${encode({ ...good, sub: 'system:serviceaccount:a:idle' })}.${signature}`,
    },
    { story: 'of another issuer', token: sign({ iss: 'https://elsewhere' }) },
    { story: 'cut off', token: `${head}.${body}` },
    { story: 'that is no token', token: 'x' },
    { story: 'that is far too long', token: `${head}.${'A'.repeat(20_000)}.${signature}` },
    { story: 'with a header that is no JSON', token: `e30x.${body}.${signature}` },
    {
      ...{ story: 'for another audience', token: sign({ aud: ['vault'] }) },
      why: `[${INVALID}, token audiences ["vault"] is invalid for the target audiences ["${tokens.issuer}"]]`,
    },
    {
      story: 'past its end',
      token: sign({ exp: nowSeconds - 61 }),
      why: `[${INVALID}, service account token has expired]`,
    },
    {
      story: 'before its time',
      token: sign({ nbf: nowSeconds + 61 }),
      why: `[${INVALID}, service account token is not valid yet]`,
    },
    {
      story: 'without an end',
      token: sign({ exp: undefined }),
      why: `[${INVALID}, service account token has expired]`,
    },
    {
      story: 'of an account with another uid',
      token: sign(bound({ serviceaccount: { name: 'builder', uid: 'old' } })),
      why: /invalidated/,
    },
    { story: 'that says two accounts', token: sign({ sub: 'system:serviceaccount:a:idle' }), why: /sub claim/ },
    { story: 'of a Pod that is gone', token: sign(bound({ pod: { name: 'none', uid: 'u' } })), why: /invalidated/ },
    {
      story: 'of a Pod that came again',
      token: sign(bound({ pod: { name: 'on-n1', uid: 'old' } })),
      why: /invalidated/,
    },
    {
      story: 'of a Secret that is gone',
      token: sign(bound({ secret: { name: 'none', uid: 'u' } })),
      why: /invalidated/,
    },
    { story: 'of a Node that is gone', token: sign(bound({ node: { name: 'none', uid: 'u' } })), why: /invalidated/ },
  ];
  for (const { story, token, why = INVALID } of rows) {
    it(`is refused ${story}`, () => {
      const reading = tokens.read(token);
      assert.equal(reading.is, 'bad');
      if (typeof why === 'string') assert.equal(reading.why, why);
      else assert.match(reading.why, why);
    });
  }

  it('tolerates a minute past its end', () => assert.equal(tokens.read(sign({ exp: nowSeconds - 59 })).is, 'good'));

  it('of a Pod holds as long as the Pod, whatever becomes of its Node', () => {
    const token = sign(bound({ pod: { name: 'brief', uid: 'uid-of-brief' }, node: { name: 'gone', uid: 'u' } }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'brief', namespace: 'a', uid: 'uid-of-brief' } };
    put('/pods', pod);
    const reading = tokens.read(token);
    assert.equal(reading.is, 'good');
    assert.deepEqual(reading.user.extra?.['authentication.kubernetes.io/pod-name'], ['brief']);
    store.remove('/pods', parseStoredObject(pod));
    assert.equal(tokens.read(token).is, 'bad');
  });
});

describe('a token that was asked for', () => {
  const { ask, tokens, clock } = createGuardedWorld();
  const path = '/api/v1/namespaces/a/serviceaccounts/builder/token';
  const request = (spec: object) => ask({ method: 'POST', path, body: { spec } }).body;

  it('says what the request said, and is good at this server', () => {
    const { spec, status } = request({});
    assert.deepEqual(spec, { audiences: tokens.audiences, expirationSeconds: 3_600 });
    assert.equal(tokens.read(status.token).is, 'good');
  });

  it('for another audience is good there and not here', () => {
    const { token } = request({ audiences: ['vault'] }).status;
    assert.equal(tokens.read(token).is, 'bad');
    assert.equal(tokens.read(token, ['vault']).is, 'good');
  });

  it('of a Pod names its Node', () => {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'on-n1', uid: 'uid-of-on-n1' };
    const reading = tokens.read(request({ boundObjectRef }).status.token);
    assert.equal(reading.is, 'good');
    assert.deepEqual(reading.user.extra?.['authentication.kubernetes.io/node-uid'], ['uid-of-n1']);
  });

  it('ends when it said', () => {
    const { token } = request({ expirationSeconds: 600 }).status;
    clock.advance(600_000 + 61_000);
    assert.equal(tokens.read(token).is, 'bad');
  });

  it('can be checked with the published key', () => {
    const { keys } = ask({ path: '/openid/v1/jwks' }).body;
    const [header] = request({}).status.token.split('.');
    assert.equal(keys[0].kid, JSON.parse(Buffer.from(header, 'base64url').toString()).kid);
    assert.equal(ask({ path: '/.well-known/openid-configuration' }).body.issuer, tokens.issuer);
  });
});

describe('a bootstrap token', () => {
  const secret = (changes: Readonly<Record<string, string | undefined>>, more: object = {}) => {
    const texts = {
      ...{ 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
      ...{ 'auth-extra-groups': 'system:bootstrappers:macs' },
      ...changes,
    };
    const data = Object.entries(texts).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, Buffer.from(text).toString('base64')]],
    );
    return {
      ...{ apiVersion: 'v1', kind: 'Secret', type: 'bootstrap.kubernetes.io/token' },
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      data: Object.fromEntries(data),
      ...more,
    };
  };
  const TOKEN = 'abcdef.0123456789abcdef';
  const good = [
    { story: 'with its groups', object: secret({}), groups: ['system:bootstrappers', 'system:bootstrappers:macs'] },
    { story: 'without groups', object: secret({ 'auth-extra-groups': undefined }), groups: ['system:bootstrappers'] },
    { story: 'before its end', object: secret({ expiration: '2999-01-01T00:00:00Z' }), groups: undefined },
  ];
  for (const { story, object, groups } of good) {
    it(`logs in ${story}`, () => {
      const { put, tokens } = createAccessWorld();
      put('/secrets', object);
      const reading = tokens.read(TOKEN);
      assert.equal(reading.is, 'good');
      assert.equal(reading.user.name, 'system:bootstrap:abcdef');
      if (groups !== undefined) assert.deepEqual(reading.user.groups, [...groups, 'system:authenticated']);
    });
  }
  const bad = [
    { story: 'with another secret', object: secret({ 'token-secret': '0123456789abcdeg' }) },
    { story: 'with another id', object: secret({ 'token-id': 'abcdeg' }) },
    { story: 'past its end', object: secret({ expiration: '1999-01-01T00:00:00Z' }) },
    { story: 'with an end that cannot be read', object: secret({ expiration: 'tomorrow' }) },
    { story: 'for another usage', object: secret({ 'usage-bootstrap-authentication': undefined }) },
    { story: 'with a group of power', object: secret({ 'auth-extra-groups': 'system:masters' }) },
    { story: 'in a Secret of another type', object: secret({}, { type: 'Opaque' }) },
    {
      story: 'that is being deleted',
      object: secret(
        {},
        {
          metadata: {
            name: 'bootstrap-token-abcdef',
            namespace: 'kube-system',
            deletionTimestamp: '2026-01-01T00:00:00Z',
          },
        },
      ),
    },
    {
      story: 'in another namespace',
      object: secret({}, { metadata: { name: 'bootstrap-token-abcdef', namespace: 'a' } }),
    },
  ];
  for (const { story, object } of bad) {
    it(`does not log in ${story}`, () => {
      const { put, tokens } = createAccessWorld();
      put('/secrets', object);
      assert.deepEqual(tokens.read(TOKEN), { is: 'bad', why: INVALID });
    });
  }
});

describe('authentication', () => {
  const { tokens, sign } = createTokenWorld();
  const certificate = { is: 'good', commonName: 'c', organizations: ['o'], sha256: 'ff' } as const;
  const token = `Bearer ${sign({})}`;
  const rows = [
    { story: 'nothing is anonymous', certificate: undefined, authorization: undefined, name: ANONYMOUS.name },
    {
      story: 'another scheme is as good as nothing',
      certificate: undefined,
      authorization: 'Basic eDp5',
      name: ANONYMOUS.name,
    },
    {
      story: 'an empty token is as good as nothing',
      certificate: undefined,
      authorization: 'Bearer ',
      name: ANONYMOUS.name,
    },
    { story: 'a good certificate', certificate, authorization: undefined, name: 'c' },
    { story: 'a good certificate beside a bad token', certificate, authorization: 'Bearer x', name: 'c' },
    { story: 'a good token', certificate: undefined, authorization: token, name: 'system:serviceaccount:a:builder' },
    {
      story: 'a good token beside a bad certificate',
      certificate: { is: 'bad' } as const,
      authorization: token,
      name: 'system:serviceaccount:a:builder',
    },
    { story: 'a bad certificate', certificate: { is: 'bad' } as const, authorization: undefined, name: undefined },
    {
      story: 'a certificate without a name',
      certificate: { ...certificate, commonName: '' },
      authorization: undefined,
      name: undefined,
    },
    { story: 'a bad token', certificate: undefined, authorization: 'Bearer x', name: undefined },
  ];
  for (const { story, name, ...credentials } of rows) {
    it(`${story} is ${name ?? 'refused'}`, () => assert.equal(authenticate(credentials, tokens)?.name, name));
  }
});
