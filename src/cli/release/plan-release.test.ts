import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ScalewayAppleSiliconMachine } from '../../kinds/machine.ts';
import { CLAIM, hostWith, RELEASE } from '../../kinds/testing/hosts.ts';
import { planRelease, type ReleasePolicy } from './plan-release.ts';

const host = (spec: Readonly<Record<string, unknown>> = {}) =>
  ({ ...hostWith(spec), status: { state: 'held', server: { name: 'mac-1' } } }) as unknown as MacHost;
const machine = (uid: string) =>
  ({
    metadata: { name: CLAIM.name, namespace: CLAIM.namespace, uid },
    spec: {},
  }) as unknown as ScalewayAppleSiliconMachine;
const HOLD = { reason: 'OwnerVanished', message: 'it is gone' };

describe('a release', () => {
  const released: readonly { story: string; spec: object; policy: ReleasePolicy; says: RegExp }[] = [
    {
      story: 'of a Mac that is held',
      spec: { hold: HOLD },
      policy: 'pool',
      says: /wiped, and then free in its pool tuist-pool-/,
    },
    { story: 'that ends the rent', spec: { hold: HOLD }, policy: 'terminate', says: /its rent ends/ },
    {
      story: 'of an ordered Mac, whose rent ends in any case',
      spec: { ordered: true },
      policy: 'pool',
      says: /its rent ends/,
    },
    {
      story: 'of a Mac whose machine is gone',
      spec: { claimRef: CLAIM },
      policy: 'pool',
      says: /everything on it is lost/,
    },
  ];
  for (const { story, spec, policy, says } of released) {
    it(`${story} says what becomes of it`, () => {
      const plan = planRelease(host({ ...spec }), undefined, policy);
      assert.equal(plan.do, 'release');
      assert.match(plan.do === 'release' ? plan.says.join('\n') : '', says);
    });
  }
  it('tells why the Mac is kept now', () => {
    const plan = planRelease(host({ hold: HOLD }), undefined, 'pool');
    assert.match(plan.do === 'release' ? plan.says.join('\n') : '', /OwnerVanished, it is gone/);
  });
  it('that was asked for already is not asked for again', () => {
    assert.equal(planRelease(host({ release: RELEASE }), undefined, 'pool').do, 'nothing');
  });
  it('of a Mac at work is refused, with both ways on', () => {
    assert.throws(() => planRelease(host({ claimRef: CLAIM }), machine(CLAIM.uid), 'pool'), {
      code: 'HostInUse',
      hint: /kubectl -n tuist delete machine mac-1\. .* macfleet detach mac-1\./,
    });
  });
  it('is not refused for a namesake of its machine', () => {
    assert.equal(planRelease(host({ claimRef: CLAIM }), machine('another'), 'pool').do, 'release');
  });
  it('of a Mac without a pool that nobody ordered is refused', () => {
    assert.throws(() => planRelease(host({ pool: undefined }), undefined, 'pool'), { code: 'NoRightToWipe' });
  });
});
