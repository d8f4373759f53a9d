import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { createRefusedHosts } from './refused-hosts.ts';

const machine = (uid: string) => parseMachine({ metadata: { name: uid, uid }, spec: { type: 'M2-L', os: 'Tahoe' } });
const host = (name: string, resourceVersion: string) =>
  parseMacHost({ metadata: { name, resourceVersion }, spec: { source: {} } });

describe('a Mac that was not free when it came to claim it', () => {
  it('is not chosen again by that machine on the same sight of it', () => {
    const refused = createRefusedHosts();
    refused.note(machine('m'), host('a', '7'));
    refused.note(machine('m'), host('b', '8'));
    const rows = [
      { who: 'm', what: host('a', '7'), is: true },
      { who: 'm', what: host('b', '8'), is: true },
      { who: 'm', what: host('a', '9'), is: false },
      { who: 'm', what: host('c', '7'), is: false },
      { who: 'n', what: host('a', '7'), is: false },
    ];
    for (const { who, what, is } of rows) assert.equal(refused.has(machine(who), what), is);
  });

  it('is like any other once the machine has one', () => {
    const refused = createRefusedHosts();
    refused.note(machine('m'), host('a', '7'));
    refused.forget(machine('m'));
    assert.equal(refused.has(machine('m'), host('a', '7')), false);
  });
});
