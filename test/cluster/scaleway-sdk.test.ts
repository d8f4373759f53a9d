/** Scaleway's official Go SDK as judge of the simulated cloud: what it reads, waits for, and takes each refusal for. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createSystemClock } from '../../src/base/clock.ts';
import { createSeededRandom } from '../../src/base/random.ts';
import { RECORDED_TIMES } from '../../src/sim/cloud/recorded-times.ts';
import { serveCloud } from '../../src/sim/cloud/serve-cloud.ts';
import { createSimCloud } from '../../src/sim/cloud/sim-cloud.ts';
import { type Line, runProgram } from './scaleway-sdk/program.ts';

/** A reboot takes 50 ms then. */
const SPEED_UP = 2_000;
/** Two seconds of the program's own. */
const LEASE_MS = 2_000 * SPEED_UP;
const SERVERS = 5;

let lines: readonly Line[] = [];

before(async () => {
  const clock = createSystemClock();
  const times = { ...RECORDED_TIMES, leaseMs: [LEASE_MS, LEASE_MS] as const };
  const cloud = createSimCloud({ clock, random: createSeededRandom(1), timeScale: 1 / SPEED_UP, times });
  for (let at = 1; at <= SERVERS; at += 1) cloud.addServer({ name: `pool-${at}` });
  const served = await serveCloud({ clock, cloud });
  try {
    lines = await runProgram({ ...served.environment, CONTROL_URL: served.controlUrl });
  } finally {
    await served.close();
    cloud.stop();
  }
});

const said = (step: string): Readonly<Record<string, unknown>> => {
  const line = lines.find((candidate) => candidate.step === step);
  assert.ok(line, `the program says nothing of "${step}"`);
  return line.value;
};

describe("Scaleway's official Go SDK", () => {
  test('lists all pages', () => {
    assert.deepEqual(said('list'), { total: SERVERS, count: SERVERS, sealed: '<sealed>' });
  });

  const states: readonly { readonly step: string; readonly shows: Readonly<Record<string, unknown>> }[] = [
    { step: 'get', shows: { name: 'pool-1', status: 'ready', delivered: true, type: 'M2-L', zone: 'fr-par-1' } },
    { step: 'rename', shows: { name: 'renamed', sudo_password: '<sealed>', vnc_url: '<sealed>' } },
    { step: 'reboot', shows: { status: 'rebooting', sudo_password: '<sealed>' } },
    { step: 'reboot done', shows: { status: 'ready', name: 'renamed' } },
    { step: 'reinstall', shows: { status: 'reinstalling', sudo_password: '<sealed>' } },
    { step: 'reinstall done', shows: { status: 'ready', name: 'renamed', delivered: true } },
    { step: 'order', shows: { status: 'starting', delivered: false, name: 'ordered', type: 'M4-S' } },
    { step: 'schedule', shows: { deletion_scheduled: true } },
    { step: 'keep', shows: { deletion_scheduled: false } },
    { step: 'order done', shows: { status: 'ready', delivered: true } },
    { step: 'batch', shows: { count: 2, status: 'starting' } },
    { step: 'attach', shows: { status: 'attaching', private_network_id: '00000000-0000-4000-8000-0000000000aa' } },
    { step: 'attached', shows: { status: 'attached', private_network_id: '00000000-0000-4000-8000-0000000000aa' } },
    { step: 'runners', shows: { total: 0, count: 0 } },
    { step: 'ssh keys', shows: { total: 1, same: true } },
  ];
  for (const { step, shows } of states) {
    test(`${step}: ${Object.values(shows).join(', ')}`, () => {
      const value = said(step);
      assert.deepEqual(Object.fromEntries(Object.keys(shows).map((name) => [name, value[name]])), shows);
    });
  }

  test('sees another password after a reinstall, and the same one after a reboot', () => {
    const password = (step: string): unknown => said(step)['sudo_password'];
    assert.equal(password('reboot done'), password('get'));
    assert.notEqual(password('reinstall done'), password('get'));
  });

  test('reads types with stock and lease, and images with where delivery is fast only in lists', () => {
    const type = lines.find(({ step, value }) => step === 'type' && value['name'] === 'M4-S')?.value;
    assert.equal(type?.['stock'], 'high_stock');
    assert.equal(type?.['minimum_lease_duration'], `${LEASE_MS / 1_000}.000000000s`);
    const listed = said('os')['supported_server_types'];
    assert.ok(Array.isArray(listed) && listed.length > 0);
    assert.deepEqual(said('os alone')['supported_server_types'], []);
  });

  const refusals: readonly { readonly step: string; readonly is: string; readonly also?: object }[] = [
    { step: 'reboot while reinstalling', is: 'TransientStateError', also: { state: 'reinstalling' } },
    { step: 'delete too early', is: 'PreconditionFailedError' },
    { step: 'get deleted', is: 'PermissionsDeniedError' },
    { step: 'order past the quota', is: 'QuotasExceededError' },
    { step: 'delete ssh key twice', is: 'ResourceNotFoundError' },
    { step: 'attach without the option', is: 'PreconditionFailedError' },
    { step: 'create a runner', is: 'PermissionsDeniedError' },
    { step: 'get a runner', is: 'ResourceNotFoundError' },
    { step: 'reinstall with kernel extensions', is: 'InvalidArgumentsError' },
    { step: 'buy bandwidth', is: 'InvalidArgumentsError' },
    { step: 'get unknown', is: 'ResourceNotFoundError' },
    { step: 'rename to nothing', is: 'InvalidArgumentsError' },
    { step: 'fault F01', is: 'ResponseError', also: { status: 500 } },
    { step: 'fault F01b', is: 'ResponseError', also: { status: 502 } },
    { step: 'fault F05', is: 'ResponseError', also: { status: 429 } },
    { step: 'fault F05c', is: 'ResponseError', also: { status: 429 } },
    { step: 'fault F06', is: 'PreconditionFailedError' },
    { step: 'fault F07', is: 'ResponseError', also: { status: 412 } },
    { step: 'fault F12', is: 'ResourceNotFoundError' },
    { step: 'fault F13', is: 'PermissionsDeniedError' },
    { step: 'fault F13b', is: 'DeniedAuthenticationError' },
    { step: 'fault F14', is: 'InvalidArgumentsError' },
    { step: 'fault expired', is: 'ResourceExpiredError' },
    { step: 'reboot locked', is: 'ResourceLockedError' },
    { step: 'order without stock', is: 'OutOfStockError' },
  ];
  for (const { step, is, also = {} } of refusals) {
    test(`takes ${step} for ${is}`, () => {
      const { error, text: _, ...rest } = said(step);
      assert.equal(error, `*scw.${is}`);
      assert.deepEqual(rest, also);
    });
  }

  test('tells a connection that breaks from an answer, and goes on once the faults are over', () => {
    assert.match(String(said('rename lost')['text']), /EOF|connection reset/);
    assert.deepEqual(said('after all faults'), { error: 'none' });
  });
});
