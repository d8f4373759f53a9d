import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { parseMachine } from '../../kinds/machine.ts';
import { judgeHost } from './judge-host.ts';

const NOW = '2026-01-01T00:00:00Z';
const claimRef = { namespace: 'ns', name: 'm', uid: 'uid-m' };
const host = (spec: object = {}, status: object = {}) =>
  parseMacHost({
    metadata: { name: 'a' },
    spec: { source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'a' } }, claimRef, ...spec },
    status,
  });
const machine = (status: object = {}, spec: object = {}) =>
  parseMachine({
    metadata: { name: 'm', namespace: 'ns', uid: 'uid-m' },
    spec,
    status: { serverID: 'a', ...status },
  });

const PROVISIONED = { initialization: { provisioned: true } };
const release = { intentID: 'i', reason: 'BootstrapExhausted' };
const beyond = {
  conditions: [
    { type: 'Ready', status: 'False', reason: 'ReplacementNeeded', message: 'it failed', lastTransitionTime: NOW },
  ],
};

describe('what becomes of a machine whose Mac is lost (R22)', () => {
  const rows = [
    { story: 'nothing while it has its Mac', host: host(), status: PROVISIONED, becomes: 'fine' },
    {
      story: 'nothing while the record is missing: it may come back',
      host: undefined,
      status: PROVISIONED,
      becomes: 'fine',
    },
    {
      story: 'nothing when the Mac is another’s',
      host: host({ claimRef: { ...claimRef, uid: 'x' }, release }),
      status: {},
      becomes: 'fine',
    },
    { story: 'another Mac, before it was provisioned', host: host({ release }), status: {}, becomes: 'swap' },
    { story: 'another Machine, after it was', host: host({ release }), status: PROVISIONED, becomes: 'replace' },
    {
      story: 'another Mac for one that is gone',
      host: host({}, { server: { goneAt: NOW } }),
      status: {},
      becomes: 'swap',
    },
    {
      story: 'another Machine for one that is gone, once provisioned',
      host: host({}, { server: { goneAt: NOW } }),
      status: PROVISIONED,
      becomes: 'replace',
    },
    {
      story: 'another Machine for a Mac beyond recovery',
      host: host({}, beyond),
      status: PROVISIONED,
      becomes: 'replace',
    },
  ];
  it('another Machine for one that a move took its status from: it is still bound to its Mac (R17)', () => {
    const moved = machine({}, { providerID: 'scw-applesilicon://fr-par-1/a' });
    assert.equal(judgeHost(moved, host({ release })).kind, 'replace');
  });
  for (const { story, host: record, status, becomes } of rows) {
    it(story, () => assert.equal(judgeHost(machine(status), record).kind, becomes));
  }
});
