import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { MAC_HOSTS, type MacHostSpec, parseMacHost } from '../../kinds/mac-host.ts';
import { MACHINES, parseMachine } from '../../kinds/machine.ts';
import { createCache } from '../../kube/cache/cache.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import { createForgetMoved } from './forget-moved.ts';

const KEY = { namespace: 'ci', name: 'mac-1' };
const held = (reason: string) => ({ reason, message: 'so', since: '2026-01-01T00:00:00Z', by: 'macfleet' });

/** What stands on the record of a Mac once its machine is gone. */
const holdAfter = async (
  more: Partial<MacHostSpec>,
  { isMoved = true, uid = '' } = {},
): Promise<string | undefined> => {
  const { client, clock, random, stop, advance } = createHarness();
  const { signal } = stop;
  const deps = { client, clock, random, logger: silentLogger };
  const machines = createCache({ ...deps, resource: MACHINES });
  const controllers = [createForgetMoved(machines)];
  const running = createManager({ name: 'moved', ...deps, caches: [machines], controllers }).run(signal);
  const annotations = isMoved ? { [CLUSTER_API_ANNOTATIONS.deleteForMove]: '' } : {};
  const machine = parseMachine({ metadata: { ...KEY, annotations }, spec: {}, status: { serverID: 'srv-1' } });
  const { metadata } = await client.create(MACHINES, machine, { signal });
  const claimRef = { ...KEY, uid: uid || (metadata.uid ?? '') };
  const source = { scaleway: { projectID: 'p', zone: 'z', serverID: 'srv-1' } };
  await client.create(MAC_HOSTS, parseMacHost({ metadata: { name: 'srv-1' }, spec: { source, claimRef, ...more } }), {
    signal,
  });
  for (let turn = 0; turn < 10; turn += 1) await advance(100);
  await client.delete(MACHINES, KEY, { signal });
  for (let turn = 0; turn < 20; turn += 1) await advance(100);
  const { spec } = await client.get(MAC_HOSTS, { name: 'srv-1' }, { signal });
  stop.abort();
  await running;
  return spec.hold?.reason;
};

describe('a machine that clusterctl moved, and that is gone before its manager looked (R17)', () => {
  const release = { intentID: 'i', policy: 'pool', reason: 'asked', requestedAt: '2026-01-01T00:00:00Z' } as const;
  const rows = [
    { story: 'leaves a Mac behind that is to be forgotten', spec: {}, is: 'Moved' },
    { story: 'also one that is held because it was missing', spec: { hold: held('OwnerVanished') }, is: 'Moved' },
    { story: 'not one that a person holds', spec: { hold: held('Investigating') }, is: 'Investigating' },
    { story: 'not one that goes back to its pool', spec: { release }, is: undefined },
  ] as const;
  for (const { story, spec, is } of rows) it(story, async () => assert.equal(await holdAfter(spec), is));

  it('is another one than that of the claim', async () => assert.equal(await holdAfter({}, { uid: 'u' }), undefined));
  it('was not moved, but deleted', async () => assert.equal(await holdAfter({}, { isMoved: false }), undefined));
});
