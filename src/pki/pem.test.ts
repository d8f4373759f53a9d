import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isKind } from '../base/errors.ts';
import { parsePem, renderPem } from './pem.ts';

const one = renderPem({ label: 'CERTIFICATE', der: Buffer.from('one') });
const two = renderPem({ label: 'CERTIFICATE', der: Buffer.alloc(100, 2) });
const key = renderPem({ label: 'PRIVATE KEY', der: Buffer.from('key') });

describe('parsePem', () => {
  test('gives the wanted blocks in order and passes over comments and other blocks', () => {
    const blocks = parsePem(`# made by hand\n${one}subject=CN = x\n${key}\n${two}trailing words`, ['CERTIFICATE']);
    assert.deepEqual(
      blocks.map(({ der }) => der),
      [Buffer.from('one'), Buffer.alloc(100, 2)],
    );
  });

  test('reads Windows line ends and indented text', () => {
    assert.equal(parsePem(two.replaceAll('\n', '\r\n'), ['CERTIFICATE']).length, 1);
    assert.equal(parsePem(two.replaceAll(/^/gm, '    '), ['CERTIFICATE']).length, 1);
  });

  test('gives nothing for text without a block', () => {
    assert.deepEqual(parsePem('<html>502</html>', ['CERTIFICATE']), []);
  });

  test('does not decode blocks that nobody asked for', () => {
    assert.equal(
      parsePem(`-----BEGIN PRIVATE KEY-----\n!!\n-----END PRIVATE KEY-----\n${one}`, ['CERTIFICATE']).length,
      1,
    );
  });

  const broken: readonly (readonly [string, string])[] = [
    ['a block without an end', one.replace(/-----END.*/, '')],
    ['a block that ends as another', one.replace('END CERTIFICATE', 'END PRIVATE KEY')],
    ['an empty block', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'],
    ['characters that are not base64', one.replace('b25l', 'b2*l')],
    ['base64 of a wrong length', one.replace('b25l', 'b25lb')],
    ['headers of an encrypted key', one.replace('b25l', 'Proc-Type: 4,ENCRYPTED\n\nb25l')],
    ['a text of 5 MiB', one + 'x'.repeat(5 * 1024 * 1024)],
  ];
  for (const [story, text] of broken) {
    test(`refuses ${story}`, () => {
      assert.throws(
        () => parsePem(text, ['CERTIFICATE']),
        (error) => isKind(error, 'invalid'),
      );
    });
  }
});

test('renderPem breaks lines at 64 characters and ends with a line end', () => {
  const lines = two.split('\n');
  assert.equal(lines[1]?.length, 64);
  assert.equal(lines.at(-1), '');
});
