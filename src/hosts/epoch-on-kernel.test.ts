/** R10: two managers work on one Mac at once, one of them superseded, over a network that delays, loses and repeats. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { sleep } from '../base/clock.ts';
import { isKind } from '../base/errors.ts';
import { createSeededRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { createSimCloud } from '../sim/cloud/sim-cloud.ts';
import { createKernel } from '../sim/kernel/kernel.ts';
import { createSimMacs } from '../sim/mac/sim-macs.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { createHostPreparer } from './host-preparer.ts';

const fleetKey = new Secret('fleet private key');
const SEEDS = Array.from({ length: 40 }, (_, at) => at + 1);
const STORMY = { default: { lateMs: 20_000, faults: { 'fail-after': 0.1, 'late-effect': 0.3, duplicate: 0.2 } } };

interface Outcome {
  /** What the superseded manager brought about after the newer epoch stood on the Mac. */
  readonly violations: readonly string[];
  readonly old: string;
  readonly agent: string | undefined;
}

/** The old manager has epoch 1, the new one 2; each gives the Mac its own name, by which its deeds are told apart. */
const runBoth = async (seed: number): Promise<Outcome> => {
  const kernel = createKernel({ seed, network: STORMY });
  const { clock } = kernel.actor('metal');
  const random = createSeededRandom(seed);
  const cloud = createSimCloud({ clock, random: random.stream('cloud') });
  const server = cloud.addServer({ name: 'pool-a' });
  const violations: string[] = [];
  const isSuperseded = (): boolean => (macs.mac(server.id).view().epochFile?.epoch ?? 0) >= 2;
  const macs = createSimMacs({
    ...{ cloud, clock, fleetKey, random: random.stream('macs') },
    startAgent: ({ nodeName }) => {
      if (nodeName === 'old' && isSuperseded()) violations.push('an agent was started');
      return () => undefined;
    },
  });
  const mac = macs.mac(server.id);
  const outcomes = new Map<string, string>();
  const bootManager = (name: 'old' | 'new', epoch: number, delayMs: number): void => {
    kernel.boot(name, async (actor) => {
      await sleep(actor.clock, delayMs, neverAborted());
      const preparer = createHostPreparer({
        ...{ hosts: macs.kernelHosts(actor), clock: actor.clock },
        ...createStepLevelConfiguration(),
      });
      const pinnedHostKey = mac.view().hostKey;
      const target = { address: server.address, user: 'm1', privateKey: fleetKey, pinnedHostKey };
      const sudo = { password: server.password, tries: [], record: async () => undefined };
      for (let attempt = 0; attempt < 20; attempt += 1) {
        try {
          await preparer.prepare(
            {
              ...{ target, epoch, sudo, claim: 'uid-1', nodeName: name, providerId: `scw-applesilicon://z/${name}` },
              ...{ fleet: 'runners', kubeconfig: new Secret(`kubeconfig of ${name}`), onProgress: () => undefined },
            },
            neverAborted(),
          );
          outcomes.set(name, 'prepared');
          return;
        } catch (error) {
          outcomes.set(name, error instanceof Error ? String(Reflect.get(error, 'code')) : String(error));
          if (!isKind(error, 'unavailable')) return;
        }
      }
    });
  };
  bootManager('old', 1, 0);
  bootManager('new', 2, random.integer(60_000));
  let before = mac.view();
  const check = (): void => {
    const now = mac.view();
    if (isSuperseded() && now.hostname === 'old' && before.hostname !== 'old') violations.push('the name was changed');
    before = now;
  };
  await kernel.run({ maxEvents: 20_000, maxVirtualMs: 3_600_000, check });
  return { violations, old: outcomes.get('old') ?? '', agent: mac.view().agent?.nodeName };
};

test('R10 an old process changes nothing after a newer epoch was written, whatever arrives late or twice', async () => {
  const olds = new Set<string>();
  for (const seed of SEEDS) {
    const { violations, old, agent } = await runBoth(seed);
    assert.deepEqual(violations, [], `seed ${seed}`);
    assert.equal(agent, 'new', `seed ${seed}: the old one ended as ${old}`);
    olds.add(old);
  }
  assert.ok(olds.has('StaleEpoch'), `the old one was refused in no seed: ${[...olds].join(' ')}`);
});
