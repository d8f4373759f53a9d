import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseExample } from './read-examples.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'examples');
const MANIFESTS = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && !name.startsWith('values-'));

it('a manifest with Windows line ends says the same as one without', () => {
  assert.ok(MANIFESTS.length > 5);
  for (const name of MANIFESTS) {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    assert.deepEqual(parseExample(text.replaceAll('\n', '\r\n'), name), parseExample(text, name));
  }
});
