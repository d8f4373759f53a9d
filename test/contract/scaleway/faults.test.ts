/**
 * The faults F01–F33 of Scaleway, each shown by the simulator and seen through the adapter: which kind of error it is, what
 * it leaves behind, and what a second look shows. What the provider does about it is proven in src/world.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseOsImage } from '../../../src/scaleway/port/os-family.ts';
import { FAULT_STORIES } from '../../../src/sim/cloud/fault-list.ts';
import { FAULT_IDS } from '../../../src/sim/cloud/faults.ts';
import { createFaultStage, type FaultStage, signal } from './fault-stage.ts';

interface Story {
  readonly id: string;
  readonly story: string;
  readonly body: (stage: FaultStage) => Promise<void>;
}

const HOUR_MS = 3_600_000;
const TAHOE_NEWEST = 'macos-tahoe-26.3';

const busy = (id: string, state: string): Story => ({
  id,
  story: `a server that is ${state} refuses a reinstall as busy, and says with what`,
  body: async ({ core, cloud, server, error }) => {
    core.switchOn(id, { serverId: server.id });
    const { kind, code, details } = await error(cloud.reinstallServer(server, undefined, { signal }));
    assert.deepEqual([kind, code, details['currentState']], ['conflict', 'TransientState', state]);
  },
});

const throttled = (id: string, story: string, retryAfterMs: number | undefined): Story => ({
  id,
  story: `a 429 ${story} is throttled, and nothing is sent meanwhile`,
  body: async ({ core, cloud, server, error, writes, settled, turns, pass }) => {
    core.switchOn(id, { verb: 'rename', count: 1 });
    const refusal = await error(cloud.renameServer(server, 'taken', { signal }));
    assert.deepEqual([refusal.kind, refusal.retryAfterMs], ['throttled', retryAfterMs]);
    const second = cloud.renameServer(server, 'taken', { signal });
    pass((retryAfterMs ?? 5_000) - 1);
    await turns();
    assert.deepEqual(writes(), []);
    await settled(second);
    assert.deepEqual(writes(), ['rename accepted']);
  },
});

const tooEarly = (id: string, story: string): Story => ({
  id,
  story: `a 412 ${story} is PreconditionFailed, and the deletion can be scheduled instead`,
  body: async ({ core, cloud, server, refused }) => {
    core.switchOn(id, { count: 1 });
    assert.equal(await refused(cloud.terminateServer(server, { signal })), 'conflict PreconditionFailed');
    assert.equal((await cloud.scheduleDeletion(server, 'delete', { signal })).isDeletionScheduled, true);
  },
});

const hidden = (id: string, story: string): Story => ({
  id,
  story: `${story} reads as no password`,
  body: async ({ core, server, look }) => {
    core.switchOn(id, { serverId: server.id });
    assert.equal((await look()).sudoPassword, undefined);
  },
});

const STORIES: readonly Story[] = [
  {
    id: 'F01',
    story: 'a 500 is unavailable, a write is not repeated and changes nothing, a read is asked again',
    body: async ({ core, cloud, server, refused, look, writes }) => {
      core.switchOn('F01', { verb: 'rename', count: 1 });
      assert.equal(await refused(cloud.renameServer(server, 'taken', { signal })), 'unavailable CloudUnavailable');
      assert.deepEqual(writes(), []);
      core.switchOn('F01', { verb: 'get', count: 2 });
      assert.equal((await look()).name, 'pool-a');
    },
  },
  {
    id: 'F01b',
    story: 'a 502 in HTML is unavailable too',
    body: async ({ core, cloud, server, refused }) => {
      core.switchOn('F01b', { verb: 'reboot' });
      assert.equal(await refused(cloud.rebootServer(server, { signal })), 'unavailable CloudUnavailable');
    },
  },
  {
    id: 'F02',
    story: 'a rename whose answer is lost is unavailable, happened once, and the next look shows the name',
    body: async ({ core, cloud, server, refused, look, writes }) => {
      core.switchOn('F02', { count: 1 });
      assert.equal(await refused(cloud.renameServer(server, 'taken', { signal })), 'unavailable CloudUnreachable');
      assert.equal((await look()).name, 'taken');
      assert.deepEqual(writes(), ['rename accepted']);
    },
  },
  {
    id: 'F02b',
    story: 'a rename that is answered with a 500 after it happened is unavailable, and happened once',
    body: async ({ core, cloud, server, refused, look, writes }) => {
      core.switchOn('F01', { verb: 'rename', when: 'after', count: 1 });
      assert.equal(await refused(cloud.renameServer(server, 'taken', { signal })), 'unavailable CloudUnavailable');
      assert.equal((await look()).name, 'taken');
      assert.deepEqual(writes(), ['rename accepted']);
    },
  },
  {
    id: 'F03',
    story: 'a reinstall whose answer is lost shows as reinstalling, and a second one is refused as that',
    body: async ({ core, cloud, server, refused, error, look }) => {
      core.switchOn('F03', { count: 1 });
      const lost = cloud.reinstallServer(server, undefined, { signal });
      assert.equal(await refused(lost), 'unavailable CloudUnreachable');
      assert.equal((await look()).status, 'reinstalling');
      const second = await error(cloud.reinstallServer(server, undefined, { signal }));
      assert.equal(second.details['currentState'], 'reinstalling');
    },
  },
  {
    id: 'F04',
    story: 'a reboot whose answer is lost happened, and is not sent again',
    body: async ({ core, cloud, server, refused, power, writes }) => {
      core.switchOn('F04', { count: 1 });
      assert.equal(await refused(cloud.rebootServer(server, { signal })), 'unavailable CloudUnreachable');
      assert.deepEqual([writes(), power], [['reboot accepted'], ['down']]);
    },
  },
  throttled('F05', 'with Retry-After', 7_000),
  throttled('F05b', 'that says so in its body alone', 7_000),
  throttled('F05c', 'that does not say how long', undefined),
  tooEarly('F06', 'with a typed body'),
  tooEarly('F07', 'in plain text'),
  tooEarly('F07b', 'with a cut-off body'),
  {
    id: 'F08',
    story: 'a reinstall while one is under way is busy with that one',
    body: async ({ core, cloud, server, error }) => {
      core.switchOn('F08', { serverId: server.id });
      const { code, details } = await error(cloud.reinstallServer(server, undefined, { signal }));
      assert.deepEqual([code, details['currentState']], ['TransientState', 'reinstalling']);
    },
  },
  busy('F09', 'updating'),
  busy('F09b', 'busy'),
  busy('F09c', 'locking'),
  busy('F09d', 'unlocking'),
  busy('F09e', 'starting'),
  {
    id: 'F10',
    story: 'a locked server shows as locked and refuses as Locked, which is not busy',
    body: async ({ core, cloud, server, refused, look }) => {
      core.switchOn('F10', { serverId: server.id });
      assert.equal((await look()).status, 'locked');
      assert.equal(await refused(cloud.reinstallServer(server, undefined, { signal })), 'denied Locked');
      assert.equal(await refused(cloud.rebootServer(server, { signal })), 'denied Locked');
    },
  },
  {
    id: 'F11',
    story: 'a server that is gone for good is not found and in no list',
    body: async ({ core, cloud, server, refused }) => {
      core.switchOn('F11', { serverId: server.id });
      assert.equal(await refused(cloud.getServer(server, signal)), 'not-found ServerNotFound');
      assert.equal((await cloud.listServers(server.zone, signal)).length, 1);
    },
  },
  {
    id: 'F12',
    story: 'a 404 that flaps is told once, and the list has the server all the time',
    body: async ({ core, cloud, server, refused, look }) => {
      core.switchOn('F12', { count: 1 });
      assert.equal(await refused(cloud.getServer(server, signal)), 'not-found ServerNotFound');
      assert.ok((await cloud.listServers(server.zone, signal)).some(({ id }) => id === server.id));
      assert.equal((await look()).name, 'pool-a');
    },
  },
  {
    id: 'F13',
    story: 'a key without rights is denied on reads, writes and lists: never an empty list',
    body: async ({ core, cloud, server, refused, writes }) => {
      core.switchOn('F13');
      assert.equal(await refused(cloud.listServers(server.zone, signal)), 'denied PermissionsDenied');
      assert.equal(await refused(cloud.renameServer(server, 'taken', { signal })), 'denied PermissionsDenied');
      assert.deepEqual(writes(), []);
    },
  },
  {
    id: 'F13b',
    story: 'an expired key is AuthenticationDenied, which is told from a missing right',
    body: async ({ core, cloud, server, refused }) => {
      core.switchOn('F13b');
      assert.equal(await refused(cloud.listServers(server.zone, signal)), 'denied AuthenticationDenied');
    },
  },
  {
    id: 'F14',
    story: 'a name that Scaleway does not take is invalid',
    body: async ({ core, cloud, server, refused, look }) => {
      assert.equal(await refused(cloud.renameServer(server, 'x'.repeat(300), { signal })), 'invalid InvalidArguments');
      core.switchOn('F14');
      assert.equal(await refused(cloud.renameServer(server, 'taken', { signal })), 'invalid InvalidArguments');
      assert.equal((await look()).name, 'pool-a');
    },
  },
  {
    id: 'F15',
    story: 'a list shows the past for a minute, while a look at the server shows the truth',
    body: async ({ core, cloud, server, look, pass }) => {
      core.switchOn('F15');
      await cloud.renameServer(server, 'taken', { signal });
      const listed = async () =>
        (await cloud.listServers(server.zone, signal)).find(({ id }) => id === server.id)?.name;
      assert.deepEqual([await listed(), (await look()).name], ['pool-a', 'taken']);
      pass(60_000);
      assert.equal(await listed(), 'taken');
    },
  },
  {
    id: 'F16',
    story: 'a list with a row missing is an error, never a part',
    body: async ({ core, cloud, server, refused }) => {
      core.switchOn('F16');
      assert.equal(await refused(cloud.listServers(server.zone, signal)), 'unavailable IncompleteList');
    },
  },
  {
    id: 'F16b',
    story: 'a list that lost a row once is read again, and is whole',
    body: async ({ core, cloud, server }) => {
      core.switchOn('F16b', { count: 1 });
      assert.equal((await cloud.listServers(server.zone, signal)).length, 2);
    },
  },
  {
    id: 'F17',
    story: 'a list that is empty by mistake looks like any, so absence is believed only after looks at the server',
    body: async ({ core, cloud, server, look }) => {
      core.switchOn('F17');
      assert.deepEqual(await cloud.listServers(server.zone, signal), []);
      assert.equal((await look()).status, 'ready');
    },
  },
  {
    id: 'F18',
    story: 'a sealed sudo_password leaves the one of the VNC address, and a reinstall makes another',
    body: async ({ core, cloud, server, look, pass }) => {
      core.switchOn('F18');
      const before = (await look()).sudoPassword?.reveal();
      assert.equal(before, server.password.reveal());
      await cloud.reinstallServer(server, undefined, { signal });
      pass(HOUR_MS);
      const after = (await look()).sudoPassword?.reveal();
      assert.ok(after !== undefined && after !== before);
    },
  },
  hidden('F18b', 'an empty password and no VNC address'),
  hidden('F18c', 'a server that is sealed altogether'),
  hidden('F19', 'a VNC address that holds the marker, percent-encoded,'),
  hidden('F19b', 'a VNC address without a user'),
  {
    id: 'F20',
    story: 'a reinstall that never ends shows as reinstalling hours later',
    body: async ({ core, cloud, server, look, pass }) => {
      core.switchOn('F20', { serverId: server.id });
      await cloud.reinstallServer(server, undefined, { signal });
      pass(5 * HOUR_MS);
      assert.equal((await look()).status, 'reinstalling');
    },
  },
  {
    id: 'F21',
    story: 'a reinstall that fails shows as error, not as ready',
    body: async ({ core, cloud, server, look, pass }) => {
      core.switchOn('F21', { serverId: server.id });
      await cloud.reinstallServer(server, undefined, { signal });
      pass(HOUR_MS);
      assert.equal((await look()).status, 'error');
    },
  },
  {
    id: 'F21b',
    story: 'a reinstall that ends with another macOS shows that one',
    body: async ({ core, cloud, server, look, pass }) => {
      core.switchOn('F21b', { serverId: server.id });
      await cloud.reinstallServer(server, undefined, { signal });
      pass(HOUR_MS);
      const { status, osFamily } = await look();
      assert.ok(status === 'ready' && osFamily !== 'Tahoe', osFamily);
    },
  },
  {
    id: 'F22',
    story: 'a server that can never be reinstalled says so each time, and is not busy',
    body: async ({ core, cloud, server, refused, pass }) => {
      core.switchOn('F22', { serverId: server.id });
      for (let day = 0; day < 3; day += 1) {
        const call = cloud.reinstallServer(server, undefined, { signal });
        assert.equal(await refused(call), 'conflict PreconditionFailed');
        pass(24 * HOUR_MS);
      }
    },
  },
  {
    id: 'F23',
    story: 'a reinstall that keeps the disk ends ready: only the password and the truth tell',
    body: async ({ core, cloud, server, look, pass }) => {
      core.switchOn('F23', { serverId: server.id });
      await cloud.reinstallServer(server, undefined, { signal });
      pass(HOUR_MS);
      const { status, sudoPassword } = await look();
      assert.deepEqual([status, sudoPassword?.reveal()], ['ready', server.password.reveal()]);
      assert.equal(core.server(server.id)?.wipes, 0);
    },
  },
  {
    id: 'F24',
    story: 'two servers that swap addresses show it in the next look',
    body: async ({ core, cloud, server, look }) => {
      const [other] = core.servers().filter(({ id }) => id !== server.id);
      core.switchOn('F24', { serverId: server.id });
      assert.equal((await look()).address, other?.address);
      assert.equal((await cloud.getServer({ zone: server.zone, id: other?.id ?? '' }, signal)).address, server.address);
    },
  },
  ...['F25', 'F25b'].map((id) => ({
    id,
    story: `a server whose address is ${id === 'F25' ? 'null' : 'empty'} has none, in looks and lists`,
    body: async ({ core, cloud, server, look }: FaultStage) => {
      core.switchOn(id);
      assert.equal((await look()).address, '');
      assert.deepEqual(
        (await cloud.listServers(server.zone, signal)).map(({ address }) => address),
        ['', ''],
      );
    },
  })),
  {
    id: 'F26',
    story: 'a lease that ends in weeks refuses a deletion, and a scheduled one waits',
    body: async ({ core, cloud, server, refused, look, pass }) => {
      core.switchOn('F26', { serverId: server.id });
      assert.equal(await refused(cloud.terminateServer(server, { signal })), 'conflict PreconditionFailed');
      await cloud.scheduleDeletion(server, 'delete', { signal });
      pass(20 * 24 * HOUR_MS);
      assert.equal((await look()).isDeletionScheduled, true);
      pass(24 * HOUR_MS);
      assert.equal(await refused(cloud.getServer(server, signal)), 'denied PermissionsDenied');
    },
  },
  {
    id: 'F26b',
    story: 'a lease that is over lets a server go at once',
    body: async ({ core, cloud, server, refused }) => {
      assert.equal(await refused(cloud.terminateServer(server, { signal })), 'conflict PreconditionFailed');
      core.switchOn('F26b', { serverId: server.id });
      await cloud.terminateServer(server, { signal });
      assert.equal(await refused(cloud.getServer(server, signal)), 'denied PermissionsDenied');
    },
  },
  ...[
    { id: 'F27', story: 'an order without stock', code: 'OutOfStock' },
    { id: 'F27b', story: 'an order past the quota', code: 'QuotaExceeded' },
  ].map(({ id, story, code }) => ({
    id,
    story: `${story} has no capacity, and adds no server`,
    body: async ({ core, cloud, server, refused }: FaultStage) => {
      core.switchOn(id);
      const imageId = chooseOsImage(await cloud.listOsImages(server.zone, 'M4-S', signal), 'Tahoe').id;
      const order = cloud.orderServer({ zone: server.zone, type: 'M4-S', imageId }, 'new', { signal });
      assert.equal(await refused(order), `no-capacity ${code}`);
      assert.equal(core.servers().length, 2);
    },
  })),
  {
    id: 'F28',
    story: "another cluster's server in the project is listed under the name it has",
    body: async ({ core, cloud, server }) => {
      core.switchOn('F28');
      const names = (await cloud.listServers(server.zone, signal)).map(({ name }) => name);
      assert.equal(names.filter((name) => name.startsWith('tuist-releasing-0badc0de-')).length, 1);
    },
  },
  {
    id: 'F29',
    story: 'a name that a person gave in between is what the next look shows',
    body: async ({ core, cloud, server, look }) => {
      await cloud.renameServer(server, 'tuist-claim-pending-1', { signal });
      core.switchOn('F29', { serverId: server.id });
      assert.equal((await look()).name, 'renamed-by-a-person');
    },
  },
  {
    id: 'F30',
    story: 'a reboot that a dialog holds up is reported as done, while the Mac never went down',
    body: async ({ core, cloud, server, look, pass, power }) => {
      core.switchOn('F30', { serverId: server.id });
      assert.equal((await cloud.rebootServer(server, { signal })).status, 'rebooting');
      pass(HOUR_MS);
      assert.deepEqual([(await look()).status, power], ['ready', []]);
    },
  },
  {
    id: 'F31',
    story: 'a key that is registered after the install is on the Mac after a reboot by the API',
    body: async ({ core, cloud, server, pass }) => {
      const keysOnMac = () => core.server(server.id)?.authorizedKeys;
      core.switchOn('F31');
      const [late] = await cloud.listSshKeys('registered-late', signal);
      pass(HOUR_MS);
      assert.deepEqual(keysOnMac(), []);
      await cloud.rebootServer(server, { signal });
      pass(HOUR_MS);
      assert.deepEqual(keysOnMac(), [late?.publicKey]);
    },
  },
  {
    id: 'F32',
    story: 'a Mac that is shut down comes back within a day, and the API says ready all the time',
    body: async ({ core, server, look, pass, power }) => {
      core.switchOn('F32', { serverId: server.id });
      assert.deepEqual([(await look()).status, power], ['ready', ['down']]);
      pass(24 * HOUR_MS);
      assert.deepEqual([(await look()).status, power], ['ready', ['down', 'up']]);
    },
  },
  {
    id: 'F33',
    story: 'a retired image is refused by its id, and the family has an older one',
    body: async ({ core, cloud, server, refused }) => {
      const images = () => cloud.listOsImages(server.zone, server.type, signal);
      const retired = chooseOsImage(await images(), 'Tahoe');
      assert.equal(retired.name, TAHOE_NEWEST);
      core.switchOn('F33');
      assert.equal(await refused(cloud.reinstallServer(server, retired.id, { signal })), 'invalid InvalidArguments');
      assert.equal(chooseOsImage(await images(), 'Tahoe').name, 'macos-tahoe-26.0');
    },
  },
];

for (const { id, story, body } of STORIES) test(`${id}: ${story}`, () => body(createFaultStage()));

test('every row of the fault list has its story and its switch', () => {
  const [told, switched] = [STORIES.map(({ id }) => id), FAULT_IDS].map(
    (ids) => new Set(ids.map((id) => id.slice(0, 3))),
  );
  const all = Array.from({ length: 33 }, (_, at) => `F${String(at + 1).padStart(2, '0')}`);
  assert.deepEqual(
    all.filter((id) => told?.has(id) !== true || switched?.has(id) !== true),
    [],
  );
});

test('the control tells what every fault is, and of no other', () => {
  assert.deepEqual(Object.keys(FAULT_STORIES).toSorted(), FAULT_IDS);
});

test('a fault with a probability meets that part of the calls', () => {
  const { core, server } = createFaultStage();
  core.switchOn('F12', { probability: 0.25 });
  const target = `/apple-silicon/v1alpha1/zones/${server.zone}/servers/${server.id}`;
  const get = () => core.serve({ method: 'GET', target, headers: {}, body: '', caller: 'test' })?.status;
  const met = Array.from({ length: 1_000 }, get).filter((status) => status === 404).length;
  assert.ok(met > 200 && met < 300, `${met} of 1,000`);
});
