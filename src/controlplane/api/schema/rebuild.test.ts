import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mapFields, mapItems } from './rebuild.ts';

describe('rebuilding a value', () => {
  const fields = { a: 1, b: [2] };

  it('gives back the same fields when none changed', () =>
    assert.equal(
      mapFields(fields, (_name, value) => value),
      fields,
    ));

  it('leaves out the fields that are mapped to nothing', () =>
    assert.deepEqual(
      mapFields(fields, (name, value) => (name === 'a' ? undefined : value)),
      { b: [2] },
    ));

  it('keeps the order of fields, and a name that is special elsewhere', () => {
    const odd = JSON.parse('{"z":1,"__proto__":2,"a":3}');
    const doubled = mapFields(odd, (_name, value) => Number(value) * 2);
    assert.equal(JSON.stringify(doubled), '{"z":2,"__proto__":4,"a":6}');
  });

  it('gives back the same items when none changed, others when one did', () => {
    const items = [1, 2];
    assert.equal(
      mapItems(items, (item) => item),
      items,
    );
    assert.deepEqual(
      mapItems(items, (item, at) => (at === 1 ? 5 : item)),
      [1, 5],
    );
  });
});
