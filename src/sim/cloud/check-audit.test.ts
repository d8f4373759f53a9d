import assert from 'node:assert/strict';
import test from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createAuditChecker } from './check-audit.ts';
import { createSimCloud, type SimCloud } from './sim-cloud.ts';
import type { SimServer } from './sim-server.ts';
import type { CloudVerbs } from './verbs.ts';

const DAY_MS = 86_400_000;

interface Scene {
  readonly fleet: CloudVerbs;
  readonly person: CloudVerbs;
  readonly cloud: SimCloud;
  readonly server: SimServer;
  pass(ms: number): void;
}

interface Row {
  readonly story: string;
  readonly play: (scene: Scene) => void;
  readonly breaches: readonly string[];
  readonly mayTerminate?: boolean;
}

const wipe = ({ fleet, server, pass }: Scene): void => {
  fleet.rename(server, 'releasing-1');
  fleet.reinstall(server);
  pass(3_600_000);
};

const rows: readonly Row[] = [
  {
    story: 'a Mac that is taken, wiped and given back breaks nothing',
    play: (scene) => {
      scene.fleet.rename(scene.server, 'mac-1');
      wipe(scene);
      scene.fleet.rename(scene.server, 'pool-2');
    },
    breaches: [],
  },
  {
    story: 'R25: a server that was ordered has the name of its order',
    play: ({ fleet, cloud }) => {
      const [made] = fleet.order(cloud.zone, [{ name: 'ordered-1', type: 'M2-L' }]);
      if (made !== undefined) fleet.rename(made, 'mac-1');
    },
    breaches: [],
  },
  {
    story: 'R25: a second order of the same intent',
    play: ({ fleet, cloud }) => {
      for (const name of ['ordered-1', 'ordered-2', 'ordered-1']) fleet.order(cloud.zone, [{ name, type: 'M2-L' }]);
    },
    breaches: ['R25'],
  },
  {
    story: 'S13: a pool name without a wipe',
    play: ({ fleet, server }) => {
      fleet.rename(server, 'mac-1');
      fleet.rename(server, 'pool-2');
    },
    breaches: ['S13'],
  },
  {
    story: 'S13: a wipe of an earlier tenant does not count',
    play: (scene) => {
      scene.fleet.rename(scene.server, 'mac-1');
      wipe(scene);
      scene.fleet.rename(scene.server, 'pool-2');
      scene.fleet.rename(scene.server, 'mac-2');
      scene.fleet.rename(scene.server, 'pool-3');
    },
    breaches: ['S13'],
  },
  {
    story: 'S13: a pool name while the wipe is still under way',
    play: ({ fleet, server }) => {
      fleet.rename(server, 'releasing-1');
      fleet.reinstall(server);
      fleet.rename(server, 'pool-2');
    },
    breaches: ['S13'],
  },
  {
    story: 'S2: a wipe under the name of a machine',
    play: ({ fleet, server }) => {
      fleet.rename(server, 'mac-1');
      fleet.reinstall(server);
    },
    breaches: ['S2'],
  },
  {
    story: 'S11: a write to a server that a person has renamed',
    play: ({ fleet, person, server }) => {
      fleet.rename(server, 'releasing-1');
      person.rename(server, 'mine-now');
      fleet.reinstall(server);
    },
    breaches: ['S11'],
  },
  {
    story: 'S4: a deletion that nobody asked for, at once or scheduled',
    play: ({ fleet, server, pass }) => {
      fleet.scheduleDeletion(server, 'delete');
      fleet.scheduleDeletion(server, 'keep');
      pass(DAY_MS);
      fleet.terminate(server);
    },
    breaches: ['S4', 'S4'],
  },
  {
    story: 'a deletion that was asked for, after its lease, breaks nothing',
    play: ({ fleet, server, pass }) => {
      pass(DAY_MS);
      fleet.terminate(server);
    },
    breaches: [],
    mayTerminate: true,
  },
  {
    story: 'S12: the fifth reboot within a day',
    play: ({ fleet, server, pass }) => {
      for (let count = 0; count < 5; count += 1) {
        fleet.reboot(server);
        pass(3_600_000);
      }
      pass(DAY_MS);
      fleet.reboot(server);
    },
    breaches: ['S12'],
  },
  {
    story: 'a person may do anything, and what the API refused did not happen',
    play: ({ fleet, person, server }) => {
      person.reinstall(server);
      assert.throws(() => fleet.reinstall(server));
      person.rename(server, 'mine');
      person.rename(server, 'pool-9');
    },
    breaches: [],
  },
];

for (const { story, play, breaches, mayTerminate = false } of rows) {
  test(story, () => {
    const clock = createManualClock();
    const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
    const server = cloud.addServer({ name: 'pool-1' });
    play({ fleet: cloud.as('manager'), person: cloud.as('person'), cloud, server, pass: clock.advance });
    const check = createAuditChecker({
      poolPrefix: 'pool-',
      isWipeable: (name) => name.startsWith('releasing-'),
      isFleet: (caller) => caller === 'manager',
      mayTerminate: () => mayTerminate,
    });
    assert.deepEqual(
      check(cloud.audit()).map(({ promise }) => promise),
      breaches,
    );
    assert.deepEqual(check(cloud.audit()), [], 'judges every entry once');
  });
}

test('lease: a simulator that let a deletion through too early would be found out', () => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const server = cloud.addServer({ name: 'pool-1' });
  const entry = {
    number: 1,
    atMs: clock.now(),
    caller: 'manager',
    principal: 'a key',
    verb: 'terminate',
    serverId: server.id,
    argument: '',
  } as const;
  const check = createAuditChecker({ poolPrefix: 'pool-', isWipeable: () => true, isFleet: () => true });
  const [breach] = check([{ ...entry, before: server, after: undefined, outcome: 'accepted' }]);
  assert.equal(breach?.promise, 'lease');
});
