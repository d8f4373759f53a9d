import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS, type MacHost } from '../kinds/mac-host.ts';
import { NODES } from '../kube/types/core.ts';
import type { FleetWorld, FleetWorldOptions } from './fleet-world.ts';
import { pass, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const MINUTE_MS = 60_000;

/** One wipe of a pool within an hour, and no more. */
const adjust: FleetWorldOptions['adjust'] = (ports) => ({
  ...ports,
  settings: { ...ports.settings, limits: { ...ports.settings.limits, reinstallsPerHour: 1 } },
});

const hostsIn = ({ operator }: FleetWorld, state: string): readonly MacHost[] =>
  operator.list(MAC_HOSTS).filter(({ status }) => status?.state === state);

const reasonsIn = (world: FleetWorld, state: string): readonly (string | undefined)[] =>
  hostsIn(world, state).map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.reason);

const countOf = ({ cloud }: FleetWorld, verb: string): number =>
  cloud.audit().filter((entry) => entry.verb === verb).length;

describe('the limit of wipes within an hour, on the virtual clock', () => {
  it('R20 stops further wipes and the reboot of a Mac that fails, each says so, and both go on in time', async () => {
    const world = startWorld({ seed: 20, macs: 3, adjust });
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
});
