/** The Secret by which Cluster API core reaches the cluster, on the virtual clock: ours where nobody else keeps one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionPath } from '../kube/client/paths.ts';
import { SECRETS } from '../kube/types/core.ts';
import type { FleetWorld } from './fleet-world.ts';
import { pass, runUntil, startWorld } from './testing/fleet-run.ts';

const NAME = 'demo-kubeconfig';
const THEIRS = { value: 'dGhlaXJz' };

const kubeconfigOf = ({ operator }: FleetWorld) =>
  operator.list(SECRETS).find(({ metadata }) => metadata.name === NAME);

describe('the kubeconfig of a cluster', () => {
  it('of somebody else is left alone, and replaced when that one is gone', async () => {
    const world = startWorld({ seed: 111, macs: 0 });
    world.operator.create(collectionPath(SECRETS, 'default'), { metadata: { name: NAME }, data: THEIRS });
    await pass(world, 1_200_000);
    assert.deepEqual(kubeconfigOf(world)?.data, THEIRS);
    world.operator.remove(SECRETS, NAME);
    await pass(world, 600_000);
    await runUntil(world, 'there again', () => kubeconfigOf(world) !== undefined);
    assert.ok(kubeconfigOf(world)?.metadata.annotations?.['macfleet.tuist.dev/expires-at']);
  });
});
