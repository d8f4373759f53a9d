import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Secret } from '../../base/secret.ts';
import { createBoundedOutput } from './bounded-output.ts';

const bounds = { headBytes: 8, tailBytes: 12 };

test('head and tail are kept and the rest is counted, however the bytes come in', () => {
  const chunks = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'abcdefgh') }));
  fc.assert(
    fc.property(chunks, (texts) => {
      const output = createBoundedOutput(bounds);
      for (const text of texts) output.push(Buffer.from(text));
      const all = texts.join('');
      const dropped = all.length - bounds.headBytes - bounds.tailBytes;
      const cut = `${all.slice(0, bounds.headBytes)}\n[… ${dropped} bytes left out …]\n${all.slice(-bounds.tailBytes)}`;
      assert.equal(output.totalBytes, all.length);
      assert.equal(output.render({}), dropped > 0 ? cut : all);
    }),
  );
});

test('a secret that a cut goes through is not there in parts either', () => {
  const secret = 'QWXZQWXZQW';
  for (let shift = 0; shift <= 60; shift += 1) {
    const output = createBoundedOutput({ headBytes: 30, tailBytes: 30 });
    output.push(Buffer.from(`${'.'.repeat(shift)}${secret}${'.'.repeat(60 - shift)}${secret}${'.'.repeat(shift)}`));
    assert.doesNotMatch(output.render({ password: new Secret(secret) }), /[QWXZ]/);
  }
});
