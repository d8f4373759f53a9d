import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTextSharing } from './share-texts.ts';

test('what was parsed says the same afterwards', () => {
  const share = createTextSharing(4);
  for (let at = 0; at < 30; at += 1) {
    const json = JSON.stringify({
      items: [
        { reason: `a reason that is long, ${at % 7}`, short: 'Ready', none: null, count: at },
        'a text in a list',
      ],
      '': { ['x'.repeat(300)]: 'y'.repeat(300) },
    });
    assert.equal(JSON.stringify(share(JSON.parse(json))), json);
  }
});

test('what is no object is given back', () => {
  const share = createTextSharing();
  assert.deepEqual(
    [share(undefined), share(null), share('a text by itself'), share(3)],
    [undefined, null, 'a text by itself', 3],
  );
});
