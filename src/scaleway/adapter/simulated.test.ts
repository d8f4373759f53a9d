import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { isKind } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createKernel } from '../../sim/kernel/kernel.ts';
import type { CallFault } from '../../sim/kernel/network.ts';
import { createKernelCloudPort, createSimCloudPort } from '../testing/sim-cloud-port.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 24 * 3_600_000 };

test('in real time a request takes effect after one way and is answered after two', async () => {
  const clock = createManualClock();
  const core = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  const cloud = createSimCloudPort(core, { clock, latencyMs: 40 });
  let answered = 'no';
  const call = cloud.renameServer(server, 'taken', { signal: neverAborted() }).then(() => {
    answered = 'yes';
  });
  await settled();
  assert.equal(core.server(server.id)?.name, 'pool-a');
  clock.advance(40);
  await settled();
  assert.deepEqual([core.server(server.id)?.name, answered], ['taken', 'no']);
  clock.advance(40);
  await call;
  assert.equal(answered, 'yes');
});

test('in real time an answer that is slow comes that much later', async () => {
  const clock = createManualClock();
  const core = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  core.switchOn('slow');
  let answered = 'no';
  const call = createSimCloudPort(core, { clock, latencyMs: 0 })
    .getServer(server, neverAborted())
    .then(() => {
      answered = 'yes';
    });
  await settled();
  clock.advance(4_999);
  await settled();
  assert.equal(answered, 'no');
  clock.advance(1);
  await call;
});

test('on the kernel an answer that is slow comes that much later', async () => {
  const kernel = createKernel({ seed: 1 });
  const core = createSimCloud({ clock: kernel.actor('metal').clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  core.switchOn('slow');
  let tookMs = 0;
  kernel.boot('client', async (actor) => {
    const startMs = actor.clock.elapsed();
    await createKernelCloudPort(core, actor).getServer(server, neverAborted());
    tookMs = actor.clock.elapsed() - startMs;
  });
  await kernel.run(BOUNDS);
  assert.ok(tookMs >= 5_000, `${tookMs} ms`);
});

test('a caller in real time that gives up while the request is on its way is told at once', async () => {
  const clock = createManualClock();
  const core = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  const controller = new AbortController();
  const call = createSimCloudPort(core, { clock, latencyMs: 40 }).renameServer(server, 'taken', {
    signal: controller.signal,
  });
  controller.abort();
  await assert.rejects(call, (error) => isKind(error, 'cancelled'));
  clock.advance(1_000);
  assert.equal(core.server(server.id)?.name, 'pool-a');
});

const faults: readonly { readonly fault: CallFault; readonly renamed: number; readonly seen: string }[] = [
  { fault: 'fail-before', renamed: 0, seen: 'unavailable' },
  { fault: 'fail-after', renamed: 1, seen: 'unavailable' },
  { fault: 'duplicate', renamed: 2, seen: 'answered' },
];

for (const { fault, renamed, seen } of faults) {
  test(`on the kernel a rename with ${fault} happens ${renamed} times and is ${seen}`, async () => {
    const kernel = createKernel({ seed: 1, network: { sites: { 'cloud:PATCH': { faults: { [fault]: 1 } } } } });
    const core = createSimCloud({ clock: kernel.actor('metal').clock, random: createSeededRandom(1) });
    const server = core.addServer({ name: 'pool-a' });
    let outcome = 'answered';
    kernel.boot('client', async (actor) => {
      await createKernelCloudPort(core, actor)
        .renameServer(server, 'taken', { signal: neverAborted() })
        .catch((error: unknown) => {
          outcome = isKind(error, 'unavailable') ? 'unavailable' : String(error);
        });
    });
    await kernel.run(BOUNDS);
    assert.equal(outcome, seen);
    assert.deepEqual(
      core.audit().map(({ caller, argument }) => `${caller} ${argument}`),
      Array.from({ length: renamed }, () => 'client#0 taken'),
    );
  });
}

test('on the kernel an API that is down refuses, while a reinstall goes on', async () => {
  const kernel = createKernel({ seed: 1 });
  const core = createSimCloud({ clock: kernel.actor('metal').clock, random: createSeededRandom(1) });
  const server = core.addServer({ name: 'pool-a' });
  core.as('operator').reinstall(server);
  let seen: unknown;
  kernel.actor('api');
  kernel.kill('api');
  kernel.boot('client', async (actor) => {
    const cloud = createKernelCloudPort(core, actor, { to: 'api' });
    seen = await cloud.getServer(server, neverAborted()).catch((error: unknown) => error);
  });
  await kernel.run(BOUNDS);
  assert.ok(isKind(seen, 'unavailable'));
  assert.equal(core.server(server.id)?.status, 'ready');
});

/** Lets every promise that can settle do so. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
};
