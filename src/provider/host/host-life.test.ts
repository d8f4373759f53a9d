import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOST_STATES } from '../../kinds/mac-host.ts';
import { HOST_LIFE, hostStateOf, isTakenAway, SIGHTS, sightName } from './host-life.ts';
import { CLAIM, PENDING, POOL, QUARANTINE, RELEASE, RELEASING, specOf } from './testing/views.ts';

describe('the table of a Mac’s life', () => {
  it('has a move for every state and every name', () => {
    for (const state of HOST_STATES)
      for (const sight of SIGHTS) assert.ok(HOST_LIFE[state][sight], `${state} × ${sight}`);
  });

  it('wipes only in releasing, where an intent is stored', () => {
    for (const state of HOST_STATES) {
      const wipes = SIGHTS.some((sight) => HOST_LIFE[state][sight] === 'wipe');
      assert.equal(wipes, state === 'releasing', state);
    }
    assert.equal(hostStateOf(specOf({ claimRef: CLAIM }), 'absent'), 'claimed');
    assert.equal(hostStateOf(specOf({ release: RELEASE }), 'absent'), 'releasing');
  });

  it('does nothing to a server whose name it does not expect', () => {
    for (const state of HOST_STATES) {
      for (const sight of ['foreign', 'unseen', 'gone'] as const) {
        const harmless = ['rest', 'keep', 'report', 'forget', 'drop'];
        assert.ok(harmless.includes(HOST_LIFE[state][sight]), `${state} × ${sight}`);
      }
    }
  });

  it('T-12 prepares a Mac anew whose Node is gone, and none whose Node is there', () => {
    const spec = specOf({ claimRef: CLAIM, assignedName: { current: CLAIM.name } });
    assert.deepEqual([hostStateOf(spec, 'absent'), hostStateOf(spec, 'there')], ['preparing', 'joined']);
  });

  it('calls every name foreign that the record does not expect', () => {
    const spec = specOf({ claimRef: CLAIM, assignedName: { current: 'mac-1' } });
    for (const name of [POOL, PENDING, RELEASING, QUARANTINE, 'mac-2', ''])
      assert.equal(sightName(spec, name), 'foreign', name);
    assert.equal(sightName(spec, 'mac-1'), 'machine');
  });

  it('takes a Mac for taken away under the names of a fleet, and not because a person renamed it', () => {
    const spec = specOf({ claimRef: CLAIM, assignedName: { current: 'mac-1' } });
    const isAway = (name: string) => isTakenAway({ spec, status: { server: { name } } });
    for (const name of [POOL, PENDING, RELEASING, QUARANTINE]) assert.equal(isAway(name), true, name);
    for (const name of ['mac-1', 'mac-2', 'the-build-mac']) assert.equal(isAway(name), false, name);
    assert.equal(isTakenAway({ spec, status: {} }), false);
  });
});
