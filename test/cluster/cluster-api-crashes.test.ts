/**
 * Managers that die and freeze at any time, on the real Cluster API core and on Macs with real bash: whatever was under way
 * is taken up again, and what arrived at Scaleway keeps the promises.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { createSystemRandom, type Random } from '../../src/base/random.ts';
import { SIMULATED_KEY } from '../../src/scaleway/port/simulated-key.ts';
import { createAuditChecker } from '../../src/sim/cloud/check-audit.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { createLabFleets } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { createStory } from './cluster-api/story.ts';
import { isTrue, isUp } from './cluster-api/view.ts';
import { eventually } from './kube/scene.ts';

const MACS = 3;
const KILLING_MS = 60_000;
const SETTLE_MS = 90_000;
const clock = createSystemClock();
const pause = (ms: number): Promise<void> => sleep(clock, ms, neverAborted());

describe('managers that are killed and frozen', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let scene: LabScene;
  let checkAudit: ReturnType<typeof createAuditChecker>;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    scene = await openLab(cluster, { macs: MACS, fleets: ['runners'] });
    checkAudit = createAuditChecker({
      ...{ poolPrefix: 'tuist-pool-', isFleet: (caller) => caller !== 'a person', mayTerminate: () => false },
      isWipeable: (name) => name.startsWith('tuist-releasing-'),
    });
  });
  after(async () => {
    await scene?.stop();
    await cluster?.stop();
  });

  const wish = (replicas: number) => createLabFleets(scene).wish('runners', { replicas });
  /** As many Machines as wanted, each with a Mac of its own; every other Mac is free. */
  const untilSettled = (replicas: number) =>
    scene.view.until(
      `${replicas} Machines are up, and ${MACS - replicas} Macs are free`,
      () => {
        const { view } = scene;
        const machines = view.machines.list();
        const states = view.macs().map(({ status }) => status?.state);
        const isAvailable = view.deployments.list().every((found) => isTrue(found, 'Available'));
        const [joined, free] = ['joined', 'free'].map((wanted) => states.filter((state) => state === wanted).length);
        const isWhole = machines.length === replicas && machines.every(isUp) && isAvailable;
        return isWhole && joined === replicas && free === MACS - replicas;
      },
      SETTLE_MS,
    );
  const timesLed = (name: string): number =>
    scene.managerLog(name).filter(({ message }) => message === 'Leader lease acquired').length;
  const claims = () =>
    scene.view.macs().flatMap(({ spec }) => (spec.claimRef === undefined ? [] : [spec.claimRef.uid]));

  step(
    'get their fleet where it is wanted, killed again and again for a minute while it grows and shrinks',
    async () => {
      const random = createSystemRandom();
      const { managers, lab } = scene;
      await wish(2);
      let kills = 0;
      const endMs = clock.elapsed() + KILLING_MS;
      const churning = churn(random, endMs, wish);
      while (clock.elapsed() < endMs) {
        await eventually('it leads', () => timesLed('manager') > kills, SETTLE_MS);
        await pause(random.integer(4_000));
        await managers.stop('manager');
        kills += 1;
        await scene.startManager('manager');
      }
      await churning;
      await wish(2);
      await untilSettled(2);
      assert.ok(kills >= 4, `killed ${kills} times`);
      assert.deepEqual(checkAudit(lab.cloud.audit()), []);
      assert.equal(new Set(claims()).size, 2);
      const nodes = scene.view.nodes.list().filter(({ metadata }) => metadata.name.startsWith(scene.namespace));
      assert.equal(nodes.length, 2, 'no Node is left of the Machines that are gone');
    },
  );

  step(
    'let another go on when they freeze in the middle of a bootstrap, and do nothing when they wake up',
    async () => {
      const { view, managers, lab } = scene;
      await scene.startManager('second', 'second');
      await eventually('the second stands by', () => /Metrics served/.test(JSON.stringify(scene.managerLog('second'))));
      await wish(MACS);
      await view.until('a bootstrap is under way', () =>
        view.macs().find(({ status }) => status?.state === 'preparing' && status.operation?.kind === 'bootstrap'),
      );
      managers.signal('manager', 'SIGSTOP');
      const writes = () => lab.cloud.audit().filter(({ principal }) => principal === SIMULATED_KEY.accessKey).length;
      await eventually('the second leads', () => timesLed('second') === 1);
      const before = writes();
      await untilSettled(MACS);
      const [machine] = view.machines.list();
      managers.signal('manager', 'SIGCONT');
      await eventually('the first finds that it does not lead any more, and ends', () => hasDied(scene));
      await scene.kubectl('delete', 'machine', machine?.metadata.name ?? '', '--wait=false');
      await view.until(
        'the Machine is gone',
        () => !view.machines.list().some(({ metadata }) => metadata.uid === machine?.metadata.uid),
      );
      await untilSettled(MACS);
      assert.equal(writes(), before, 'nothing of the first has reached Scaleway any more');
      assert.deepEqual(checkAudit(lab.cloud.audit()), []);
    },
  );

  it('lose nothing and touch nothing twice', (t) => play((name, run) => t.test(name, run)));
});

/** Whether one of the managers has ended by itself. */
const hasDied = ({ managers }: LabScene): boolean => {
  try {
    managers.checkAlive();
    return false;
  } catch (error) {
    assert.match(String(error), /manager ended with exit code/);
    return true;
  }
};

/** A person who changes their mind. */
const churn = async (random: Random, endMs: number, wish: (replicas: number) => Promise<void>): Promise<void> => {
  while (clock.elapsed() < endMs) {
    await pause(4_000 + random.integer(6_000));
    await wish(random.integer(MACS + 1));
  }
};
