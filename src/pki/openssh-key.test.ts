import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import ssh2 from 'ssh2';
import { openSshKeyFrom } from './openssh-key.ts';

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
