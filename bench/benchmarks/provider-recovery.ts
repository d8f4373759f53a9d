/**
 * B10: two managers with the fast lease profile, many Macs being adopted, `kill -9` of the one that leads: how long until the
 * other one writes to the cloud, and whether any promise about the servers was broken.
 */
import type { Benchmark, Sample } from '../benchmark.ts';
import type { ManagerProcess } from '../provider/lab.ts';

const MACS = 400;
const KILLS = 5;
/** A request of the dead one may still be on its way. */
const LANDED_MS = 100;

const ours = async (): Promise<Sample> => measureRecovery(MACS, KILLS);

const measureRecovery = async (macs: number, kills: number): Promise<Sample> => {
  const { openLab } = await import('../provider/lab.ts');
  const { until } = await import('../control-plane/until.ts');
  const { median } = await import('../judge.ts');
  const { createAuditChecker } = await import('../../src/sim/cloud/check-audit.ts');
  const lab = await openLab({ macs, wanted: macs, leaseProfile: 'fast' });
  try {
    const { cloud } = lab;
    const managers: ManagerProcess[] = [];
    /** Two are there at any time: one that ended by itself is started anew, as a container is. */
    const tend = async (): Promise<void> => {
      managers.splice(0, managers.length, ...managers.filter(({ isOver }) => !isOver));
      while (managers.length < 2) managers.push(await lab.startManager());
    };
    const tookMs: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const before = cloud.audit().length;
      await until('writes to the cloud', async () => {
        await tend();
        return cloud.audit().length > before + 3;
      });
      const killedMs = Date.now();
      await managers.find(({ leads, isOver }) => leads && !isOver)?.kill();
      const firstAfter = () => cloud.audit().find(({ atMs }) => atMs > killedMs + LANDED_MS);
      await until('the first write of the other one', async () => firstAfter() !== undefined);
      tookMs.push((firstAfter()?.atMs ?? Number.NaN) - killedMs);
    }
    const check = createAuditChecker({
      ...{ poolPrefix: 'tuist-pool-', isFleet: () => true, mayTerminate: () => false },
      isWipeable: (name) => name.startsWith('tuist-releasing-'),
    });
    return {
      'from kill -9 to the first write of the successor, s': median(tookMs) / 1_000,
      'the longest, s': Math.max(...tookMs) / 1_000,
      'broken promises': check(cloud.audit()).length,
    };
  } finally {
    await lab.stop();
  }
};

export const providerRecovery: Benchmark = {
  id: 'provider-recovery',
  about: 'kill -9 of the leading manager while it adopts 400 Macs, with a second one waiting, fast lease profile',
  figures: [
    { name: 'from kill -9 to the first write of the successor, s', goal: { of: 'ours', is: '<=', value: 3 } },
    { name: 'the longest, s' },
    { name: 'broken promises', goal: { of: 'ours', is: '=', value: 0 } },
  ],
  ours,
};
