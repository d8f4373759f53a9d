import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  EVENT_SOURCES,
  LEASE_NAMES,
  parseProviderId,
  parseServerName,
  renderProviderId,
  renderServerName,
  type ServerName,
  toClusterId,
} from './names.ts';

const UUID = '6d1ab8b4-9c0b-4b43-8f0d-6f6a1c2e7d10';

describe('a provider id', () => {
  it('is byte for byte that of the Go original', () => {
    assert.equal(renderProviderId({ zone: 'fr-par-1', serverId: UUID }), `scw-applesilicon://fr-par-1/${UUID}`);
  });

  it('parses back', () => {
    assert.deepEqual(parseProviderId(`scw-applesilicon://fr-par-3/${UUID}`), { zone: 'fr-par-3', serverId: UUID });
  });

  for (const foreign of [
    '',
    'scaleway://instance/fr-par-1/x',
    'scw-applesilicon://fr-par-1',
    'scw-applesilicon:///x',
    ' scw-applesilicon://a/b',
    'scw-applesilicon://a/b/c',
  ]) {
    it(`is not ours if it is ${JSON.stringify(foreign)}`, () => assert.equal(parseProviderId(foreign), undefined));
  }
});

describe('the name of a server (T-59)', () => {
  const prefixes = ['tuist-pool-', 'tuist-pool-m4-', 'tuist-', ''];
  const cases: readonly { name: string; means: ServerName | undefined }[] = [
    { name: `tuist-claim-pending-${UUID}`, means: { kind: 'claim-pending', uuid: UUID } },
    { name: `tuist-releasing-0a1b2c3d-${UUID}`, means: { kind: 'releasing', clusterId: '0a1b2c3d', uuid: UUID } },
    { name: `tuist-quarantine-0a1b2c3d-${UUID}`, means: { kind: 'quarantine', clusterId: '0a1b2c3d', uuid: UUID } },
    { name: `tuist-ordered-0a1b2c3d-${UUID}`, means: { kind: 'ordered', clusterId: '0a1b2c3d', uuid: UUID } },
    { name: 'tuist-ordered-by-hand', means: undefined },
    { name: `tuist-pool-${UUID}`, means: { kind: 'pool', prefix: 'tuist-pool-', rest: UUID } },
    { name: 'tuist-pool-by-hand', means: { kind: 'pool', prefix: 'tuist-pool-', rest: 'by-hand' } },
    { name: 'tuist-pool-m4-1', means: { kind: 'pool', prefix: 'tuist-pool-m4-', rest: '1' } },
    { name: 'tuist-other', means: { kind: 'pool', prefix: 'tuist-', rest: 'other' } },
    { name: 'someone-elses-mac', means: undefined },
    { name: '', means: undefined },
    { name: 'tuist-claim-pending-', means: undefined },
    { name: 'tuist-claim-pending-by-hand', means: undefined },
    { name: `tuist-releasing-${UUID}`, means: undefined },
    { name: `tuist-releasing-0a1b2c3d-${UUID}-x`, means: undefined },
    { name: `tuist-quarantine-XYZ-${UUID}`, means: undefined },
  ];
  for (const { name, means } of cases) {
    it(`${JSON.stringify(name)} means ${means?.kind ?? 'nothing to us'}`, () => {
      assert.deepEqual(parseServerName(name, prefixes), means);
    });
  }

  it('is nothing to us without a pool of that prefix', () => {
    assert.equal(parseServerName('tuist-pool-1', []), undefined);
  });

  it('parses back to what it was rendered from', () => {
    const uuid = fc.uuid();
    const clusterId = fc.stringMatching(/^[0-9a-f]{8}$/);
    const anyName: fc.Arbitrary<ServerName> = fc.oneof(
      fc.record({ kind: fc.constant('pool' as const), prefix: fc.constantFrom('tuist-pool-', 'x'), rest: uuid }),
      fc.record({ kind: fc.constant('claim-pending' as const), uuid }),
      fc.record({ kind: fc.constant('releasing' as const), clusterId, uuid }),
      fc.record({ kind: fc.constant('quarantine' as const), clusterId, uuid }),
      fc.record({ kind: fc.constant('ordered' as const), clusterId, uuid }),
    );
    fc.assert(
      fc.property(anyName, (name) => {
        assert.deepEqual(parseServerName(renderServerName(name), ['tuist-pool-', 'x']), { ...name });
      }),
    );
  });
});

describe('the names of the control side', () => {
  it('tell clusters apart by the UID of kube-system', () => {
    assert.equal(toClusterId('0a1b2c3d-1111-4222-8333-444444444444'), '0a1b2c3d');
  });

  it('are those of the Go original where it must stand aside, and where alerts look', () => {
    assert.equal(LEASE_NAMES.manager, 'scaleway-applesilicon.infrastructure.cluster.x-k8s.io');
    assert.equal(LEASE_NAMES.runners, 'runners-controller.tuist.dev');
    assert.equal(EVENT_SOURCES.machine, 'scalewayapplesiliconmachine-controller');
  });
});
