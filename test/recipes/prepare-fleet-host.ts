/** `macfleet prepare-fleet-host` as recipes use it, on a simulated world: its own work over simulated SSH, by somebody who knows the password. */
import assert from 'node:assert/strict';
import { neverAborted } from '../../src/base/abort.ts';
import { type FleetError, toFleetError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { prepareByHand } from '../../src/hosts/prepare-by-hand.ts';
import { FLEET_KEY } from '../../src/world/fleet-cluster.ts';
import type { FleetWorld } from '../../src/world/fleet-world.ts';
import { runUntil } from '../../src/world/testing/fleet-run.ts';

export const prepareFleetHost = async (world: FleetWorld, words: readonly string[]): Promise<string> => {
  const [command, address = '', identity, file, force, ...more] = words;
  const isKnown = command === 'prepare-fleet-host' && identity === '--identity' && file !== undefined;
  if (!isKnown || !(force === undefined || force === '--force') || more.length > 0)
    throw new Error(`no recipe may use macfleet ${words.join(' ')}`);
  const server = world.cloud.servers().find((one) => one.address === address);
  if (server === undefined) throw new Error(`no Mac has the address ${address}`);
  // As it is on the Mac, whatever Scaleway shows.
  const password = new Secret(world.macs.save()[server.id]?.password ?? '');
  let ended: 'prepared' | FleetError | undefined;
  world.kernel.boot(`a person at ${address}`, async (actor) => {
    const work = prepareByHand(
      {
        ...{ hosts: world.macs.kernelHosts(actor), clock: actor.clock, password, owner: 'ann' },
        target: { address, user: 'm1', privateKey: FLEET_KEY },
        epoch: force === undefined ? 'by-hand' : 'forced',
        ...{ onHostKey: () => undefined, onProgress: () => undefined },
      },
      neverAborted(),
    );
    ended = await work.then(
      () => 'prepared',
      (error: unknown) => toFleetError(error),
    );
  });
  await runUntil(world, 'the end of prepare-fleet-host', () => ended !== undefined);
  assert.equal(ended, 'prepared');
  return '';
};
