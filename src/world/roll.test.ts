import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS, type MacHost } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { NODES } from '../kube/types/core.ts';
import type { FleetWorld, FleetWorldOptions } from './fleet-world.ts';
import { isTold, pass, readyMachines, runUntil, startWorld } from './testing/fleet-run.ts';

const hashes = ({ operator }: FleetWorld): readonly (string | undefined)[] =>
  operator.list(MAC_HOSTS).map(({ status }) => status?.configHash);

const isOneHash = (world: FleetWorld, before: string | undefined): boolean =>
  new Set(hashes(world)).size === 1 && hashes(world)[0] !== before && hashes(world)[0] !== undefined;

const joined = async (
  seed: number,
  more: Pick<FleetWorldOptions, 'adjust'> = {},
): Promise<{ readonly world: FleetWorld; readonly hash: string | undefined }> => {
  const world = startWorld({ seed, macs: 3, ...more });
  await runUntil(world, 'all ready', () => readyMachines(world) === 3 && isOneHash(world, ''));
  return { world, hash: hashes(world)[0] };
};

/** `--bootstrap-reboot-after=0 --bootstrap-max-attempts=0`. */
const withoutTiers: FleetWorldOptions['adjust'] = (ports) => ({
  ...ports,
  settings: { ...ports.settings, limits: { ...ports.settings.limits, rebootAfter: 0, releaseAfter: 0 } },
});

/** The column *Waits for*. */
const messageOf = ({ status }: MacHost): string =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';

/** The epoch that each Mac has seen. */
const epochs = ({ cloud, macs }: FleetWorld): ReadonlyMap<string, number> =>
  new Map(cloud.servers().map(({ id }) => [id, macs.mac(id).view().epochFile?.epoch ?? 0]));

/** Macs that somebody began to change since then, and of which it is not on record yet that they have changed. */
const changing = (
  world: FleetWorld,
  since: { readonly epochs: ReadonlyMap<string, number>; readonly hash: string | undefined },
): number => {
  const now = epochs(world);
  return world.operator
    .list(MAC_HOSTS)
    .filter(
      ({ metadata: { name }, status }) => now.get(name) !== since.epochs.get(name) && status?.configHash === since.hash,
    ).length;
};

describe('another host configuration, on the virtual clock', () => {
  it('004-3 004-5 reaches every Mac, one after the other, and no Node goes away', async () => {
    const { world, hash } = await joined(41);
    const nodes = world.operator.list(NODES).map(({ metadata }) => metadata.uid);
    const since = { epochs: epochs(world), hash };
    let most = 0;
    world.upgrade('2');
    await runUntil(world, 'all have it', () => {
      most = Math.max(most, changing(world, since));
      return isOneHash(world, hash);
    });
    assert.equal(most, 1);
    assert.deepEqual(
      world.operator.list(NODES).map(({ metadata }) => metadata.uid),
      nodes,
    );
    const verbs = world.cloud.audit().map(({ verb }) => verb);
    assert.ok(!verbs.includes('reboot') && !verbs.includes('reinstall'), verbs.join());
  });

  it('004-3 halts by itself at a Mac that it breaks, and goes on with the next', async () => {
    const { world, hash } = await joined(42);
    for (const { id } of world.cloud.servers())
      world.macs.mac(id).addStepFault({ step: 'agent-bundle', kind: 'exit', times: 5, output: 'no such file' });
    world.upgrade('broken');
    await runUntil(world, 'given up', () =>
      world.operator.list(MACHINES).some(({ status }) => status?.failureReason === 'TartKubeletUpdateExceededRetries'),
    );
    assert.equal(world.operator.list(MACHINES).filter(({ status }) => status?.failureReason).length, 1);
    assert.deepEqual(new Set(hashes(world)), new Set([hash]));
    assert.equal(readyMachines(world), 3);
    world.upgrade('mended');
    await runUntil(world, 'all have it', () => isOneHash(world, hash));
    await runUntil(world, 'cleared', () => world.operator.list(MACHINES).every(({ status }) => !status?.failureReason));
    for (const reason of ['AgentRollFailed', 'TartKubeletUpdateExceededRetries', 'AgentRollRetried', 'AgentRolled'])
      assert.ok(isTold(world, reason), reason);
  });

  it('004-3 000-6 passes by a Mac that died before, where nobody is to reboot or replace it', async () => {
    const { world, hash } = await joined(44, { adjust: withoutTiers });
    const dead = world.operator
      .list(MAC_HOSTS)
      .map(({ metadata }) => metadata.name)
      .sort()
      .at(-1);
    const node = world.operator.list(NODES).find(({ spec }) => spec?.providerID?.endsWith(`/${dead}`));
    world.macs.mac(dead ?? '').ban();
    world.kernel.restart(`node ${node?.metadata.name} ${node?.spec?.providerID}`, 0);
    const hosts = () => world.operator.list(MAC_HOSTS);
    await runUntil(world, 'found dead', () => hosts().some(({ status }) => status?.state === 'preparing'));
    world.upgrade('2');
    const left = () => hosts().filter(({ status }) => status?.configHash === hash);
    await runUntil(world, 'the others have it', () => left().length === 1);
    assert.deepEqual(
      left().map(({ metadata }) => metadata.name),
      [dead],
    );
  });

  it('L21 004-3 tells on each Mac what it waits for, and nothing else while the one that halts it is tried again', async () => {
    const { world, hash } = await joined(45);
    const [first = ''] = world.cloud
      .servers()
      .map(({ id }) => id)
      .sort();
    world.macs.mac(first).addStepFault({ step: 'agent-bundle', kind: 'exit', times: 15, output: 'no such file' });
    world.upgrade('2');
    const told = () => world.operator.list(MAC_HOSTS).map(messageOf);
    await runUntil(
      world,
      'two wait',
      () => told().filter((text) => text.startsWith('waits for its turn')).length === 2,
    );
    await runUntil(world, 'halted', () => told().filter((text) => text.includes('is halted')).length === 2);
    const halts = () => world.operator.list(MAC_HOSTS).find(({ metadata }) => metadata.name === first);
    const waiting = () => world.operator.list(MAC_HOSTS).filter(({ metadata }) => metadata.name !== first);
    for (const host of waiting()) assert.match(messageOf(host), new RegExp(`because ${first} could not be changed$`));
    assert.ok(halts()?.status?.conditions?.some(({ message }) => message.startsWith('could not be changed')));
    const before = waiting().map(messageOf);
    const { lastFailureAt } = halts()?.spec.budgets.roll ?? {};
    for (let minutes = 0; minutes < 50; minutes += 1) {
      await pass(world, 60_000);
      assert.deepEqual(waiting().map(messageOf), before);
    }
    assert.notEqual(halts()?.spec.budgets.roll.lastFailureAt, lastFailureAt, 'it was tried again meanwhile');
    await runUntil(world, 'all have it', () => isOneHash(world, hash) && told().join('') === '');
  });

  it('L21 004-5 writes little about a Mac that it never gets through to', async () => {
    const { world } = await joined(43);
    for (const { id } of world.cloud.servers().slice(0, 1)) world.macs.mac(id).changeHostKey();
    world.upgrade('2');
    const failures = () => world.operator.list(MAC_HOSTS).map(({ spec }) => spec.budgets.roll.failures);
    await runUntil(world, 'tried once', () => failures().includes(1));
    let writes = 0;
    world.onWrite(({ what }) => {
      if (what === 'machosts') writes += 1;
    });
    await runUntil(world, 'tried four times more', () => failures().includes(5));
    // Each is counted, and noticed; so is the first, after its count.
    assert.ok(writes <= 1 + 4 * 2, `${writes} writes for four tries`);
  });
});
