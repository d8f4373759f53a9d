import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import ssh2 from 'ssh2';
import { Secret } from '../base/secret.ts';
import { openSshKeyFrom, publicHalfOf } from './openssh-key.ts';

const seedOf = (index: number): Buffer => createHash('sha256').update(`seed ${index}`).digest();

test('ssh2 reads every key, finds the public half that we give, and its signatures hold', () => {
  for (let index = 0; index < 300; index += 1) {
    const { privateKey, publicKey } = openSshKeyFrom(seedOf(index));
    const read = ssh2.utils.parseKey(privateKey.reveal());
    assert.ok(!(read instanceof Error), `key ${index}: ${read}`);
    assert.equal(`${read.type} ${read.getPublicSSH().toString('base64')}`, publicKey);
    const signature = read.sign('text');
    assert.ok(!(signature instanceof Error));
    assert.equal(read.verify('text', signature), true);
  }
});

test('the same seed gives the same key, another another', () => {
  assert.equal(openSshKeyFrom(seedOf(1)).privateKey.reveal(), openSshKeyFrom(seedOf(1)).privateKey.reveal());
  assert.notEqual(openSshKeyFrom(seedOf(1)).publicKey, openSshKeyFrom(seedOf(2)).publicKey);
});

test('the public half is found in every key, also with other line ends', () => {
  for (let index = 0; index < 300; index += 1) {
    const { privateKey, publicKey } = openSshKeyFrom(seedOf(index));
    assert.equal(publicHalfOf(privateKey), publicKey);
    assert.equal(publicHalfOf(new Secret(`\n${privateKey.reveal().replaceAll('\n', '\r\n')}`)), publicKey);
  }
});

test('what is no key, not a whole one, or has a passphrase has no public half', () => {
  const whole = openSshKeyFrom(seedOf(1)).privateKey.reveal();
  const [begin = '', ...rest] = whole.split('\n');
  const bodies = [
    '',
    'nonsense',
    '====',
    Buffer.from('openssh-key-v1\0').toString('base64'),
    rest[0] ?? '',
    rest.slice(0, 2).join(''),
  ];
  const end = '-----END OPENSSH PRIVATE KEY-----';
  for (const body of bodies) assert.equal(publicHalfOf(new Secret(`${begin}\n${body}\n${end}\n`)), undefined);
  for (const text of ['', 'nonsense', whole.slice(0, 200)]) assert.equal(publicHalfOf(new Secret(text)), undefined);
  const encrypted = ssh2.utils.generateKeyPairSync('ed25519', {
    cipher: 'aes256-ctr',
    passphrase: 'secret',
    rounds: 1,
  });
  assert.equal(publicHalfOf(new Secret(encrypted.private)), undefined);
});

test('a key of another type has its half too', () => {
  const made = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256, comment: 'somebody' });
  assert.equal(publicHalfOf(new Secret(made.private)), made.public.split(' ').slice(0, 2).join(' '));
});
