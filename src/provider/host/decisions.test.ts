import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { createDecisions, type Decision } from './decisions.ts';
import { specOf } from './testing/views.ts';

const host = (name: string, resourceVersion = '1', spec: object = {}): MacHost =>
  parseMacHost({ metadata: { name, resourceVersion }, spec: specOf(spec) });

describe('R20 R21 what this process has decided for a Mac', () => {
  const rows: readonly { story: string; ask?: MacHost; decision?: Decision; shown?: MacHost; is: number }[] = [
    { story: 'counts for the others of its pool before the cache shows it', shown: host('a'), is: 1 },
    { story: 'does not count when the cache shows what came of it', shown: host('a', '2'), is: 0 },
    { story: 'does not count when the Mac has no record any more', is: 0 },
    { story: 'does not count against that Mac itself', ask: host('a'), shown: host('a'), is: 0 },
    { story: 'counts for no other pool', ask: host('b', '1', { pool: { prefix: 'x-' } }), shown: host('a'), is: 0 },
    { story: 'counts for no other limit', decision: 'quarantine', shown: host('a'), is: 0 },
  ];
  for (const { story, ask = host('b'), decision = 'wipe', shown, is } of rows)
    it(story, () => {
      const decisions = createDecisions();
      decisions.note(host('a'), 'wipe');
      const records = new Map(shown === undefined ? [] : [['a', shown]]);
      assert.equal(decisions.unseen(ask, decision, records), is);
    });
});
