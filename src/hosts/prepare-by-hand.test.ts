import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { neverAborted } from '../base/abort.ts';
import { FleetError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { createHostPreparer } from './host-preparer.ts';
import type { Preparation, StepProgress } from './port.ts';
import { type HandPreparation, prepareByHand } from './prepare-by-hand.ts';
import type { SudoTry } from './sudo-tries.ts';
import { createOneMac } from './testing/one-mac.ts';

const signal = neverAborted();
const privateKey = new Secret('canary-private-key');
const agentKubeconfig = new Secret('the kubeconfig');

/** The lock that an attempt leaves which failed. */
const LOCK_EXPIRES_MS = 900_001;

const stage = () => {
  const { clock, cloud, server, hosts, mac } = createOneMac(privateKey);
  const told: unknown[] = [];
  let progress: readonly StepProgress[] = [];
  const work: HandPreparation = {
    ...{ hosts, clock, password: server.password, epoch: 'by-hand', owner: 'anna' },
    target: { address: server.address, user: 'm1', privateKey },
    onHostKey: (fingerprint) => told.push(fingerprint),
    onProgress: (steps) => {
      progress = steps;
      told.push(steps);
    },
  };
  const prepare = async (more: Partial<HandPreparation> = {}): Promise<string> => {
    try {
      await prepareByHand({ ...work, ...more }, signal);
      return 'prepared';
    } catch (error) {
      told.push(error, inspect(error, { depth: 9 }));
      return error instanceof FleetError ? error.code : String(error);
    }
  };
  const noPassword: Preparation['sudo'] = { password: undefined, tries: [], record: async () => undefined };
  const bootstrap = async (sudo = noPassword): Promise<void> => {
    const preparer = createHostPreparer({ hosts, clock, ...createStepLevelConfiguration() });
    const pinnedHostKey = mac.view().hostKey;
    await preparer.prepare(
      {
        ...{ target: { ...work.target, pinnedHostKey }, epoch: 1, claim: 'uid-1', nodeName: 'mac-1', providerId: 'p' },
        sudo,
        ...{ fleet: 'runners', kubeconfig: agentKubeconfig, onProgress: () => undefined },
      },
      signal,
    );
  };
  const states = (): string => progress.map(({ id, state }) => `${id}:${state}`).join(' ');
  return { clock, cloud, server, mac, prepare, bootstrap, states, told };
};

test('001-3: a Mac gets sudo and automatic login, and no claim; again finds both', async () => {
  const { mac, prepare, states } = stage();
  assert.equal(await prepare(), 'prepared');
  assert.equal(states(), 'sudo:done auto-login:done');
  assert.equal(mac.view().epochFile, undefined);
  assert.equal(await prepare(), 'prepared');
  assert.equal(states(), 'sudo:skipped auto-login:skipped');
});

test('001-3: works with the controller: a Mac whose password is sealed can then be bootstrapped', async () => {
  const { mac, prepare, bootstrap } = stage();
  await assert.rejects(bootstrap(), { code: 'MissingSudoPassword' });
  await prepare();
  await bootstrap();
  assert.equal(mac.view().agent?.nodeName, 'mac-1');
});

test('001-3: a Mac that refused the password of the controller can be bootstrapped after that, and keeps its login', async () => {
  const { clock, mac, prepare, bootstrap } = stage();
  const tries: SudoTry[] = [];
  const record = async (tried: SudoTry): Promise<void> => void tries.push(tried);
  const attempt = () => bootstrap({ password: new Secret('canary-wrong'), tries: [...tries], record });
  await assert.rejects(attempt(), { code: 'SudoPasswordRefused' });
  await assert.rejects(attempt(), { code: 'SudoPasswordRefused', message: /wasn't asked again/ });
  assert.equal(mac.view().sudoFailures, 1);
  assert.equal(await prepare({ epoch: 'forced' }), 'HostBusy');
  await clock.advance(LOCK_EXPIRES_MS);
  assert.equal(await prepare(), 'HostHeld');
  assert.equal(await prepare({ epoch: 'forced' }), 'prepared');
  await attempt();
  assert.deepEqual([mac.view().agent?.nodeName, mac.view().autoLogin], ['mac-1', 'right']);
});

test('a Mac that a controller holds is refused, and is worked on when forced', async () => {
  const { mac, prepare, bootstrap } = stage();
  await prepare();
  await bootstrap();
  const applied = mac.view().applies;
  assert.equal(await prepare(), 'HostHeld');
  assert.deepEqual(mac.view().applies, applied);
  assert.equal(await prepare({ epoch: 'forced' }), 'prepared');
  assert.deepEqual(mac.view().epochFile, { claim: 'uid-1', epoch: 1 });
});

test('001-3: a password that macOS does not take is found out by reading the file back', async () => {
  const { mac, prepare, states } = stage();
  mac.addStepFault({
    step: 'auto-login',
    phase: 'verify',
    kind: 'exit',
    times: 1,
    output: '/etc/kcpassword holds <sealed>',
  });
  assert.equal(await prepare(), 'StepNotVerified');
  assert.equal(states(), 'sudo:done auto-login:failed');
});

test('a wrong password is tried once, costs one attempt, and is told nowhere', async () => {
  const { mac, prepare, told } = stage();
  assert.equal(await prepare({ password: new Secret('canary-wrong') }), 'SudoPasswordRefused');
  assert.equal(mac.view().sudoFailures, 1);
  assert.ok(!(JSON.stringify(told) + inspect(told, { depth: 9 })).includes('canary'));
});

for (const password of ['', '<sealed>', 'vnc://m1:<sealed>@host']) {
  test(`000-3: "${password}" is never handed to a Mac`, async () => {
    const { mac, prepare } = stage();
    assert.equal(await prepare({ password: new Secret(password) }), 'PasswordSealed');
    assert.equal(mac.view().sudoFailures, 0);
  });
}

test('a Mac that is booting is waited for; one that stays away, or keeps us out, is not', async () => {
  const { mac, clock, prepare } = stage();
  mac.refuseConnections(2);
  const waiting = prepare();
  for (let probe = 0; probe < 2; probe += 1) {
    while (clock.timers === 0) await Promise.resolve();
    clock.advance(5_000);
  }
  assert.equal(await waiting, 'prepared');
  mac.forgetKey();
  assert.equal(await prepare(), 'AuthenticationFailed');
});
