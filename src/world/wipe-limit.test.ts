import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS, type MacHost } from '../kinds/mac-host.ts';
import { NODES } from '../kube/types/core.ts';
import type { FleetWorld, FleetWorldOptions } from './fleet-world.ts';
import { pass, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const MINUTE_MS = 60_000;

/** So many wipes of a pool within an hour, and no more. */
const atMost =
  (reinstallsPerHour: number): NonNullable<FleetWorldOptions['adjust']> =>
  (ports) => ({
    ...ports,
    settings: { ...ports.settings, limits: { ...ports.settings.limits, reinstallsPerHour } },
  });

const hostsIn = ({ operator }: FleetWorld, state: string): readonly MacHost[] =>
  operator.list(MAC_HOSTS).filter(({ status }) => status?.state === state);

const reasonsIn = (world: FleetWorld, state: string): readonly (string | undefined)[] =>
  hostsIn(world, state).map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.reason);

const countOf = ({ cloud }: FleetWorld, verb: string): number =>
  cloud.audit().filter((entry) => entry.verb === verb).length;

describe('the limit of Macs in quarantine, on the virtual clock', () => {
  it('R21 is a third of a pool, when several come back from a wipe and the manager hears late of its own records', async () => {
    const world = startWorld({ seed: 24, macs: 3 });
    await runUntil(world, 'ready', () => readyMachines(world) === 3);
    for (const { metadata } of world.operator.list(MAC_HOSTS)) {
      const release = { intentID: metadata.name, reason: 'HostKeyChanged' };
      world.operator.merge(MAC_HOSTS, metadata.name, { spec: { release } });
    }
    await runUntil(world, 'all are wiped', () => hostsIn(world, 'wiping').length === 3);
    world.apiTrouble.watches.trouble({ is: 'lag', lagMs: MINUTE_MS }, { actor: 'manager', kind: MAC_HOSTS.plural });
    await pass(world, 90 * MINUTE_MS);
    assert.equal(world.cloud.servers().filter(({ name }) => name.startsWith('tuist-quarantine-')).length, 1);
  });
});

describe('the limit of wipes within an hour, on the virtual clock', () => {
  it('R20 stops further wipes and the reboot of a Mac that fails, each says so, and both go on in time', async () => {
    const world = startWorld({ seed: 20, macs: 3, adjust: atMost(1) });
    await runUntil(world, 'ready', () => readyMachines(world) === 3);
    scale(world, 1);
    await runUntil(world, 'one is wiped', () => countOf(world, 'reinstall') === 1);
    const [left] = hostsIn(world, 'joined').filter(({ spec }) => spec.release === undefined);
    const node = world.operator.list(NODES).find(({ metadata }) => metadata.name === left?.spec.claimRef?.name);
    world.macs.mac(left?.metadata.name ?? '').ban();
    world.kernel.restart(`node ${node?.metadata.name} ${node?.spec?.providerID}`, 0);
    await pass(world, 50 * MINUTE_MS);
    assert.deepEqual([countOf(world, 'reinstall'), countOf(world, 'reboot')], [1, 0]);
    assert.deepEqual(reasonsIn(world, 'releasing'), ['ReinstallLimitReached']);
    assert.deepEqual(reasonsIn(world, 'preparing'), ['ReinstallLimitReached']);
    await runUntil(world, 'the other is wiped', () => countOf(world, 'reinstall') === 2);
    await runUntil(world, 'the last is rebooted, and works', () => hostsIn(world, 'joined').length === 1);
    assert.deepEqual([countOf(world, 'reinstall'), countOf(world, 'reboot')], [2, 1]);
  });

  it('R20 counts each wipe of a Mac that goes round and round', async () => {
    const world = startWorld({ seed: 20, macs: 2, adjust: atMost(3) });
    const { clock } = world.kernel.actor('watcher');
    const isBack = (): boolean =>
      world.cloud.servers().every(({ name, status }) => name.startsWith('tuist-pool-') && status === 'ready');
    const wipedMs: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      scale(world, 2);
      await runUntil(world, 'ready', () => readyMachines(world) === 2);
      scale(world, 0);
      await runUntil(world, 'back', () => {
        while (wipedMs.length < countOf(world, 'reinstall')) wipedMs.push(clock.now());
        return isBack();
      });
    }
    const crowds = wipedMs.map((ms) => wipedMs.filter((other) => other >= ms && other < ms + 60 * MINUTE_MS).length);
    assert.equal(Math.max(...crowds), 3);
  });

  it('R20 holds for Macs that are given back at once, when the manager hears late of its own records', async () => {
    const world = startWorld({ seed: 21, macs: 8, adjust: atMost(2) });
    await runUntil(world, 'ready', () => readyMachines(world) === 8);
    world.apiTrouble.watches.trouble({ is: 'lag', lagMs: 20_000 }, { actor: 'manager', kind: MAC_HOSTS.plural });
    scale(world, 0);
    await pass(world, 50 * MINUTE_MS);
    assert.equal(countOf(world, 'reinstall'), 2);
    assert.deepEqual(new Set(reasonsIn(world, 'releasing')), new Set(['ReinstallLimitReached']));
  });
});
