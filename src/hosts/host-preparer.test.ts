import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { neverAborted } from '../base/abort.ts';
import { toFleetError } from '../base/errors.ts';
import { createSeededRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { createSimCloud, type SimCloud } from '../sim/cloud/sim-cloud.ts';
import type { SimServer } from '../sim/cloud/sim-server.ts';
import type { SimMac } from '../sim/mac/sim-mac.ts';
import { createSimMacs } from '../sim/mac/sim-macs.ts';
import { createHostPreparer } from './host-preparer.ts';
import type { HostPreparer, Preparation, StepProgress } from './port.ts';
import { BOOTSTRAP_STEPS } from './step.ts';

const signal = neverAborted();
const privateKey = new Secret('canary-private-key-0815');
const kubeconfig = new Secret('users:\n- token: canary-token-4711\n');

interface Stage {
  readonly preparer: HostPreparer;
  readonly cloud: SimCloud;
  readonly server: SimServer;
  readonly mac: SimMac;
  readonly preparation: Preparation;
  /** The last progress that was told. */
  progress(): readonly StepProgress[];
  /** How many sessions are open. */
  open(): number;
}

const stage = (): Stage => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const startAgent = (): (() => void) => () => undefined;
  const random = createSeededRandom(4);
  const { hosts, mac } = createSimMacs({ cloud, clock, fleetKey: privateKey, random, timeScale: 0, startAgent });
  let open = 0;
  let progress: readonly StepProgress[] = [];
  const counted = {
    open: async (...args: Parameters<typeof hosts.open>) => {
      const session = await hosts.open(...args);
      open += 1;
      return { ...session, close: () => session.close().finally(() => (open -= 1)) };
    },
  };
  const preparation: Preparation = {
    target: { address: server.address, user: 'm1', privateKey, pinnedHostKey: mac(server.id).view().hostKey },
    ...{ epoch: 3, claim: 'uid-1', nodeName: 'mac-1', providerId: 'scw-applesilicon://z/1', fleet: 'runners' },
    ...{ kubeconfig, sudoPassword: server.password },
    onProgress: (steps) => {
      progress = steps;
    },
  };
  return {
    ...{ preparer: createHostPreparer({ hosts: counted, clock }), cloud, server, mac: mac(server.id), preparation },
    ...{ progress: () => progress, open: () => open },
  };
};

const states = ({ progress }: Stage): string => [...new Set(progress().map(({ state }) => state))].join(' ');

test('a look at the host key learns it and leaves the Mac as it is', async () => {
  const { preparer, preparation, mac, open } = stage();
  const unpinned = { ...preparation.target, pinnedHostKey: undefined };
  assert.equal(await preparer.lookAtHostKey(unpinned, signal), mac.view().hostKey);
  assert.equal(mac.view().epochFile, undefined);
  assert.equal(open(), 0);
});

test('a fresh Mac is brought to where its agent runs under the name and credentials given', async () => {
  const world = stage();
  await world.preparer.prepare(world.preparation, signal);
  const { agent, hostname, epochFile } = world.mac.view();
  assert.deepEqual(agent, {
    ...{ nodeName: 'mac-1', providerId: 'scw-applesilicon://z/1', fleet: 'runners' },
    kubeconfig,
  });
  assert.deepEqual([hostname, epochFile], ['mac-1', { claim: 'uid-1', epoch: 3 }]);
  assert.equal(states(world), 'done');
  assert.equal(world.progress().length, BOOTSTRAP_STEPS.length);
  assert.equal(world.open(), 0);
});

test('the same again finds everything done', async () => {
  const world = stage();
  await world.preparer.prepare(world.preparation, signal);
  await world.preparer.prepare({ ...world.preparation, epoch: 4 }, signal);
  assert.equal(states(world), 'skipped');
});

test('a Mac that is prepared already needs no password; a fresh one does', async () => {
  const world = stage();
  const sealed = { ...world.preparation, sudoPassword: undefined };
  await assert.rejects(world.preparer.prepare(sealed, signal), { kind: 'unavailable', code: 'StepSecretUnknown' });
  assert.equal(world.mac.view().sudoFailures, 0);
  await world.preparer.prepare(world.preparation, signal);
  await world.preparer.prepare(sealed, signal);
  assert.equal(states(world), 'skipped');
});

test('a Mac that works for another claim is refused as not wiped, and is not touched', async () => {
  const world = stage();
  await world.preparer.prepare(world.preparation, signal);
  const other = { ...world.preparation, claim: 'uid-2', epoch: 9, nodeName: 'mac-2' };
  await assert.rejects(world.preparer.prepare(other, signal), { kind: 'conflict', code: 'NotWiped' });
  assert.deepEqual([world.mac.view().hostname, world.mac.view().epochFile?.epoch], ['mac-1', 3]);
});

test('an operation that was superseded is refused and told the newer epoch', async () => {
  const world = stage();
  await world.preparer.prepare(world.preparation, signal);
  const error = await world.preparer.prepare({ ...world.preparation, epoch: 2 }, signal).catch(toFleetError);
  assert.ok(error !== undefined);
  assert.deepEqual([error.kind, error.code, error.details['seen']], ['conflict', 'StaleEpoch', 3]);
});

test('stopping the agent ends it, and is nothing on a Mac without one', async () => {
  const world = stage();
  await world.preparer.stopAgent(world.preparation, signal);
  await world.preparer.prepare(world.preparation, signal);
  await world.preparer.stopAgent(world.preparation, signal);
  assert.equal(world.mac.view().agent, undefined);
  assert.equal(world.open(), 0);
});

test('a step that fails three times is passed at the fourth try, which does not repeat the others', async () => {
  const world = stage();
  world.mac.addStepFault({ step: 'tart', kind: 'exit', times: 3, output: 'no space left' });
  for (const epoch of [3, 4, 5]) {
    await assert.rejects(world.preparer.prepare({ ...world.preparation, epoch }, signal), {
      code: 'StepFailed',
      message: 'step tart exited with 1: no space left',
    });
    assert.equal(world.open(), 0);
  }
  await world.preparer.prepare({ ...world.preparation, epoch: 6 }, signal);
  const tried = world.progress().filter(({ state }) => state === 'done');
  assert.deepEqual(
    tried.map(({ id }) => id),
    ['tart', 'firewall', 'kubeconfig', 'agent-binary', 'agent'],
  );
});

for (const { id } of BOOTSTRAP_STEPS) {
  test(`no secret is told when ${id} fails and prints all it knows`, async () => {
    const world = stage();
    const { server } = world;
    const output = `${server.password.reveal()}\ntoken: canary-token-4711`;
    world.mac.addStepFault({ step: id, kind: 'exit', times: 1, output });
    const error = await world.preparer.prepare(world.preparation, signal).catch(toFleetError);
    assert.ok(error !== undefined);
    assert.equal(error.code, 'StepFailed');
    const told = `${inspect(error, { depth: 9 })} ${JSON.stringify([error, error.message, error.details, world.progress()])}`;
    assert.ok(!told.includes('canary') && !told.includes(server.password.reveal()), told);
  });
}

test('on a Mac whose key was never put on record there is no agent of ours, and nothing is opened to stop it', async () => {
  const { preparer, preparation, cloud, server } = stage();
  cloud.as('operator').reboot(server);
  const target = { ...preparation.target, pinnedHostKey: undefined };
  await preparer.stopAgent({ target, epoch: 1 }, signal);
});
