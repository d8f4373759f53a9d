import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { bearerOf, drawToken, parseToken, renderToken, tokenIdOf } from './join-token.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the token a Mac joins with (R23)', () => {
  const joiner = { machine: { namespace: 'ci', name: 'mac-1' }, host: 'srv-1', uid: 'a', wipes: 2, epoch: 7 };
  const token = drawToken(createSeededRandom('token'), joiner, NOW);

  it('has the form of a bootstrap token and lives a quarter of an hour', () => {
    assert.match(bearerOf(token).reveal(), /^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    assert.equal(token.expiresAtMs - NOW, 900_000);
    const { metadata, type, data } = renderToken(token);
    assert.equal(type, 'bootstrap.kubernetes.io/token');
    assert.equal(metadata.name, `bootstrap-token-${token.id}`);
    assert.deepEqual(Object.keys(data ?? {}).sort(), [
      'auth-extra-groups',
      'description',
      'expiration',
      'token-id',
      'token-secret',
      'usage-bootstrap-authentication',
    ]);
  });

  it('says which machine and which Mac it is for, and which operation brings it there', () => {
    const { id, expiresAtMs } = token;
    const facts = { id, nodeName: 'mac-1', namespace: 'ci', host: 'srv-1', epoch: 7, wipes: 2, expiresAtMs };
    assert.deepEqual(parseToken(renderToken(token)), facts);
  });

  it('has an id that follows from the Mac and the operation, and from nothing else', () => {
    const idOf = (change: Partial<typeof joiner>) =>
      drawToken(createSeededRandom('another'), { ...joiner, ...change }, NOW + 1).id;
    assert.equal(idOf({ wipes: 3 }), token.id);
    const others = [idOf({ host: 'srv-2' }), idOf({ uid: 'b' }), idOf({ epoch: 8 })];
    assert.equal(new Set([token.id, ...others]).size, 4);
  });

  it('is not taken for one of somebody else', () => {
    assert.equal(parseToken({ metadata: { name: 'bootstrap-token-abcdef' }, data: {} }), undefined);
    assert.equal(tokenIdOf('system:bootstrap:abc123'), 'abc123');
    for (const user of ['system:node:mac-1', 'system:bootstrap:', 'system:bootstrap:abc123x', undefined]) {
      assert.equal(tokenIdOf(user), undefined);
    }
  });
});
