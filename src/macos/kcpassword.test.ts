import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeKcpassword, encodeKcpassword, SEALED_PASSWORD } from './kcpassword.ts';

/** As written by macOS and by the Go original. */
const vectors: readonly { readonly password: string; readonly hex: string }[] = [
  { password: 'hello', hex: '15ec3e4fbdbcddeaa3b91f' },
  { password: SEALED_PASSWORD, hex: '41fa3742bed9b9d4a3b91f' },
  { password: '12345678901', hex: '4cbb6117e78aead29a892e7d895223d2bcddeaa3b91f' },
];

for (const { password, hex } of vectors) {
  test(`T-74: ${password} is written as ${hex} and read back`, () => {
    assert.equal(Buffer.from(encodeKcpassword(password)).toString('hex'), hex);
    assert.equal(decodeKcpassword(Buffer.from(hex, 'hex')), password);
  });
}
