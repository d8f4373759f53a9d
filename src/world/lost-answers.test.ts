import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MACHINES } from '../kinds/machine.ts';
import { packZeros } from '../sim/kernel/choices.ts';
import { CALL_FAULTS } from '../sim/kernel/network.ts';
import { REPLAYED_NETWORK } from './simulate/swarm-profile.ts';
import { readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

/** More than the controllers of an empty cluster make until there is a machine: the twelfth is the Machine itself. */
const CREATES = 16;

describe('the answer to a create of Cluster API is lost, after its effect', () => {
  for (let at = 0; at < CREATES; at += 1) {
    it(`the one after ${at} others: the machine becomes ready all the same, and goes without a trace`, async () => {
      const lost = [...Array.from({ length: at }, () => 0), CALL_FAULTS.indexOf('fail-after') + 1];
      const replay = { 'fault kube:POST by controllers': packZeros(lost) };
      const world = startWorld({ seed: 1, macs: 1, network: REPLAYED_NETWORK, replay }, 1);
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      assert.equal(world.operator.list(MACHINES).length, 1);
      scale(world, 0);
      await runUntil(world, 'gone', () => world.operator.list(MACHINES).length === 0);
    });
  }
});
