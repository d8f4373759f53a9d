import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalQuantity } from './canonical-quantity.ts';

describe('an amount as an API server stores it', () => {
  const rows: readonly (readonly [given: string, stored: string])[] = [
    ['16384Mi', '16Gi'],
    ['14336Mi', '14Gi'],
    ['1000Mi', '1000Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['1023Ki', '1023Ki'],
    ['3.5Ki', '3584'],
    ['1.0000000001Gi', '1073741824107374183n'],
    ['0.0001Ki', '102400u'],
    ['500m', '500m'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['1.50', '1500m'],
    ['-1500m', '-1500m'],
    ['1000', '1k'],
    ['494384795648', '494384795648'],
    ['500000000000', '500G'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e3', '1e3'],
    ['1500e-3', '1500e-3'],
    ['1.5e3', '1500'],
    ['12e6', '12e6'],
    ['1e19', '10e18'],
    ['0.1n', '1n'],
    ['0', '0'],
    ['0Gi', '0'],
    ['-0', '0'],
    ['many', 'many'],
    ['', ''],
  ];
  for (const [given, stored] of rows) {
    it(`${JSON.stringify(given)} is ${JSON.stringify(stored)}`, () => assert.equal(canonicalQuantity(given), stored));
  }
});
