/** Servers with strange names beside good ones: the provider works on, and touches none that is not of its pool. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { renderDemo } from './demo-fleet.ts';
import { createFleetWorld } from './fleet-world.ts';

const BOUNDS = { maxEvents: 300_000, maxVirtualMs: 3_600_000 };

const STRANGERS = [
  ...[' tuist-pool-1', 'Tuist-Pool-1', 'tuist-pool', 'xtuist-pool-1'],
  ...['tuist-releasing-tuist-pool-1', 'tuist-claim-pending-tuist-pool-1', '"; rm -rf / #', '🍏', '\u0000'],
  `tuist-pool-${'x'.repeat(242)}y`,
  `tuist-pool-${'x'.repeat(300)}`,
  'tuist-pool-"$(x)`\\ 🍏\n',
];

test('a fleet takes the good servers, of its pool, and no other however its name looks', async () => {
  const world = createFleetWorld({ seed: 1, macs: 0 });
  const strangers = STRANGERS.map((name) => world.cloud.addServer({ name }));
  const good = ['tuist-pool-ann (2nd floor), #7', 'tuist-pool-1'].map((name) => world.cloud.addServer({ name }));
  for (const demo of renderDemo(good.length)) world.operator.apply(demo);
  const ready = () => world.operator.list(MACHINES).filter(({ status }) => status?.initialization?.provisioned).length;
  const { outcome } = await world.kernel.run({ ...BOUNDS, until: () => ready() === good.length });
  assert.equal(outcome, 'until', JSON.stringify(world.operator.list(MACHINES).map(({ status }) => status?.conditions)));
  const ids = (servers: readonly { readonly id: string }[]) => servers.map(({ id }) => id).toSorted();
  assert.deepEqual(
    world.operator
      .list(MAC_HOSTS)
      .map(({ metadata }) => metadata.name)
      .toSorted(),
    ids(good),
  );
  const touched = new Set(world.cloud.audit().map(({ serverId }) => serverId));
  assert.deepEqual([...touched].toSorted(), ids(good));
  assert.deepEqual(
    strangers.map(({ id }) => world.cloud.server(id)?.name),
    STRANGERS,
  );
});
