import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { Credentials } from '../../kube/client/login/credentials.ts';
import { createAuthority, issueCertificate } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../pki/key.ts';
import { createShownCredentials } from './shown-credentials.ts';
import type { Tokens } from './tokens/tokens.ts';

const random = createSeededRandom('shown credentials');
const clock = createManualClock();
const HOUR_MS = 3_600_000;
const life = { notBeforeMs: clock.now() - HOUR_MS, notAfterMs: clock.now() + HOUR_MS };

const authorityOf = (commonName: string) =>
  createAuthority({ subject: { commonName }, keyPair: createKeyPair(random), random, ...life });
const [ours, theirs] = [authorityOf('ours'), authorityOf('theirs')];

interface Wish {
  readonly by?: typeof ours;
  readonly usage?: 'client auth' | 'server auth';
  readonly key?: 'its own' | "another's";
}

const certificateOf = ({ by = ours, usage = 'client auth', key = 'its own' }: Wish): Credentials => {
  const [own, another] = [createKeyPair(random), createKeyPair(random)];
  const identity = { commonName: 'system:node:mac-1', organizations: ['system:nodes'] };
  const usages = ['digital signature', usage] as const;
  const certificate = issueCertificate(by, { identity, publicKey: own.publicKey, usages, random, ...life });
  const keyPem = renderPrivateKey(key === 'its own' ? own : another);
  return { certificate: { certificatePem: renderCertificate(certificate), keyPem } };
};

const tokens: Pick<Tokens, 'read'> = {
  read: (token) =>
    token === 'good'
      ? { is: 'good', user: { name: 'anna', groups: [] }, audiences: [] }
      : { is: 'bad', why: 'nobody knows it' },
};

const userOf = createShownCredentials({ authority: ours, clock, tokens: () => tokens });

const rows: readonly { readonly story: string; readonly shown: Credentials; readonly is: string | undefined }[] = [
  { story: 'a certificate of the authority, with its key', shown: certificateOf({}), is: 'system:node:mac-1' },
  { story: 'a certificate without its key', shown: certificateOf({ key: "another's" }), is: undefined },
  { story: 'a certificate of another authority', shown: certificateOf({ by: theirs }), is: undefined },
  { story: 'a certificate for servers', shown: certificateOf({ usage: 'server auth' }), is: undefined },
  { story: 'a token that is known', shown: { token: new Secret('good') }, is: 'anna' },
  { story: 'a token that is not', shown: { token: new Secret('bad') }, is: undefined },
  { story: 'nothing', shown: {}, is: 'system:anonymous' },
];

describe('who shows something in this process', () => {
  for (const { story, shown, is } of rows)
    it(`${story} makes ${is ?? 'nobody'}`, () => {
      assert.equal(userOf(shown)?.name, is);
    });

  it('is nobody any more once the certificate has expired, and has its groups until then', () => {
    const shown = certificateOf({});
    const later = createManualClock();
    const userThen = createShownCredentials({ authority: ours, clock: later, tokens: () => tokens });
    assert.deepEqual(userThen(shown)?.groups, ['system:nodes', 'system:authenticated']);
    later.advance(HOUR_MS + 1);
    assert.equal(userThen(shown), undefined);
  });
});
