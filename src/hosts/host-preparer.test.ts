import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import type { SimCloud } from '../sim/cloud/sim-cloud.ts';
import type { SimServer } from '../sim/cloud/sim-server.ts';
import type { SimMac } from '../sim/mac/sim-mac.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import { createHostPreparer } from './host-preparer.ts';
import type { HostPreparer, Hosts, Preparation, Prepared, StepProgress } from './port.ts';
import { BOOTSTRAP_STEPS } from './step.ts';
import type { SudoTry } from './sudo-tries.ts';
import { createOneMac, errorOf } from './testing/one-mac.ts';

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
  /** Batches and uploads since the last look, as `survey`, `converge <step> …` and `upload <name>`. */
  takeSent(): readonly string[];
  /** What was put on record about passwords. */
  readonly tries: readonly SudoTry[];
  /** The preparer of another release of everything that is pushed. */
  withRelease(release: string): HostPreparer;
}

const stage = (): Stage => {
  const { clock, cloud, server, hosts, mac } = createOneMac(privateKey);
  let open = 0;
  let sent: string[] = [];
  const tries: SudoTry[] = [];
  let progress: readonly StepProgress[] = [];
  const counted: Hosts = {
    open: async (...args) => {
      const session = await hosts.open(...args);
      open += 1;
      return {
        hostKey: session.hostKey,
        run: (batch, stop) => {
          const stages = [...Map.groupBy(batch.calls, ({ stage = 0 }) => stage).values()];
          const told = stages.map((calls) => calls.map(({ step }) => step).join(' ')).join(' | ');
          sent.push(batch.calls.every((call) => call.do === 'check') ? 'survey' : `converge ${told}`);
          return session.run(batch, stop);
        },
        upload: (artefacts, stop) => {
          sent.push(`upload ${artefacts.map(({ name }) => name).join(' ')}`);
          return session.upload(artefacts, stop);
        },
        close: () => session.close().finally(() => (open -= 1)),
      };
    },
  };
  const record = async (tried: SudoTry): Promise<void> => {
    tries.push(tried);
  };
  const withRelease = (release: string): HostPreparer =>
    createHostPreparer({ hosts: counted, clock, ...createStepLevelConfiguration(release) });
  const preparation: Preparation = {
    target: { address: server.address, user: 'm1', privateKey, pinnedHostKey: mac.view().hostKey },
    ...{ epoch: 3, claim: 'uid-1', nodeName: 'mac-1', providerId: 'scw-applesilicon://z/1', fleet: 'runners' },
    ...{ kubeconfig, sudo: { password: server.password, tries: [], record } },
    onProgress: (steps) => {
      progress = steps;
    },
  };
  return {
    ...{ preparer: withRelease('1'), withRelease, cloud, server, mac, preparation, tries },
    ...{ progress: () => progress, open: () => open },
    takeSent: () => {
      const taken = sent;
      sent = [];
      return taken;
    },
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

test('a cold bootstrap is three batches one after the other, and four executions in all', async () => {
  const world = stage();
  const { digest } = await world.preparer.prepare(world.preparation, signal);
  const sent = world.takeSent();
  assert.deepEqual(
    sent.filter((what) => !what.startsWith('upload')),
    [
      ...['survey', 'converge first-look sudo'],
      'converge auto-login idle-sleep hostname tart firewall ssh-watchdog agent-runtime agent-bundle kubeconfig | agent',
    ],
  );
  assert.equal(sent.length, 4);
  assert.equal(digest, world.preparer.digestOf({ fleet: 'runners' }));
});

test('004-5: the same again finds everything done, and sends nothing but the survey', async () => {
  const world = stage();
  await world.preparer.prepare(world.preparation, signal);
  world.takeSent();
  await world.preparer.prepare({ ...world.preparation, epoch: 4 }, signal);
  assert.equal(states(world), 'skipped');
  assert.deepEqual(world.takeSent(), ['survey']);
});

test('004-5: a new release sends what differs, starts the agent on it, and has another digest', async () => {
  const world = stage();
  const first = await world.preparer.prepare(world.preparation, signal);
  world.takeSent();
  const second = await world.withRelease('2').prepare({ ...world.preparation, epoch: 4 }, signal);
  assert.deepEqual(world.takeSent().toSorted(), [
    'converge tart agent-runtime agent-bundle | agent',
    'survey',
    'upload tart node agent',
  ]);
  assert.notEqual(first.digest, second.digest);
});

test('a process that dies between the new bundle and its agent leaves an agent that the next one starts again', async () => {
  const world = stage();
  await world.preparer.prepare(world.preparation, signal);
  world.mac.addStepFault({ step: 'agent', phase: 'check', kind: 'lost-before', times: 1 });
  const next = world.withRelease('2');
  world.mac.addStepFault({ step: 'agent', kind: 'lost-before', times: 1 });
  for (const epoch of [4, 5]) {
    await assert.rejects(next.prepare({ ...world.preparation, epoch }, signal), { code: 'HostConnectionLost' });
  }
  world.takeSent();
  await next.prepare({ ...world.preparation, epoch: 6 }, signal);
  assert.deepEqual(world.takeSent(), ['survey', 'converge agent']);
});

test('a Mac that is prepared already needs no password; a fresh one does', async () => {
  const world = stage();
  const { record } = world.preparation.sudo;
  const sealed = { ...world.preparation, sudo: { password: undefined, tries: [], record } };
  await assert.rejects(world.preparer.prepare(sealed, signal), { kind: 'unavailable', code: 'MissingSudoPassword' });
  assert.equal(world.mac.view().sudoFailures, 0);
  assert.equal(world.mac.view().epochFile, undefined);
  await world.preparer.prepare(world.preparation, signal);
  await world.preparer.prepare(sealed, signal);
  assert.equal(states(world), 'skipped');
});

test('000-2, 000-3: a wrong password is put on record before it is sent, tried once, and a new one gets in', async () => {
  const world = stage();
  const { record } = world.preparation.sudo;
  const attempt = (password: Secret<string>, epoch: number): Promise<Prepared> =>
    world.preparer.prepare(
      { ...world.preparation, epoch, sudo: { password, tries: [...world.tries], record } },
      signal,
    );
  await assert.rejects(attempt(new Secret('wrong'), 3), { kind: 'denied', code: 'SudoPasswordRefused' });
  assert.deepEqual(
    world.tries.map(({ outcome }) => outcome),
    ['sent', 'refused'],
  );
  assert.equal(world.mac.view().sudoFailures, 1);
  await assert.rejects(attempt(new Secret('wrong'), 4), { kind: 'denied', code: 'SudoPasswordRefused' });
  assert.equal(world.mac.view().sudoFailures, 1);
  await attempt(world.server.password, 5);
  assert.equal(world.mac.view().sudoFailures, 0);
});

test('a password that cannot be put on record is not sent', async () => {
  const world = stage();
  const record = (): Promise<void> => Promise.reject(new Error('the API is away'));
  const sudo = { ...world.preparation.sudo, password: new Secret('wrong'), record };
  await assert.rejects(world.preparer.prepare({ ...world.preparation, sudo }, signal), /the API is away/);
  assert.equal(world.mac.view().sudoFailures, 0);
});

test('a builder becomes a GitHub runner after its agent runs, and has another digest than a node', async () => {
  const world = stage();
  const inputs = { githubOrg: 'tuist', runnerLabels: 'macos', runnerVersion: '2.330.0' };
  const builder: Preparation = { ...world.preparation, role: 'builder', inputs };
  await assert.rejects(world.preparer.prepare(builder, signal), { code: 'StepSecretUnknown', message: /githubToken/ });
  const { digest } = await world.preparer.prepare({ ...builder, githubToken: new Secret('canary') }, signal);
  assert.match(world.takeSent().at(-1) ?? '', / local-network \| agent \| github-runner$/);
  assert.equal(digest, world.preparer.digestOf({ fleet: 'runners', role: 'builder', inputs }));
  assert.notEqual(digest, world.preparer.digestOf({ fleet: 'runners', inputs }));
});

test('F58: a Mac that somebody else works on is left alone, and is told by whom', async () => {
  const world = stage();
  world.mac.plantLeftover({ lock: { owner: 'anna', expiresAtMs: createManualClock().now() + 60_000 } });
  await assert.rejects(world.preparer.prepare(world.preparation, signal), { code: 'HostBusy', message: /anna/ });
  assert.equal(world.mac.view().epochFile, undefined);
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
  const error = await errorOf(world.preparer.prepare({ ...world.preparation, epoch: 2 }, signal));
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

for (const { story, leftMs } of [
  { story: 'expired', leftMs: -1 },
  { story: 'lasts longer than any, because the clock was set back', leftMs: 3 * 3_600_000 },
]) {
  test(`F58: a lock that ${story} keeps nobody out`, async () => {
    const world = stage();
    world.mac.plantLeftover({ lock: { owner: 'anna', expiresAtMs: createManualClock().now() + leftMs } });
    await world.preparer.prepare(world.preparation, signal);
    assert.equal(states(world), 'done');
  });
}

test('F58: a bootstrap that died keeps no later one, and no release, waiting for its lock', async () => {
  const world = stage();
  world.mac.addStepFault({ step: 'agent', kind: 'lost-after', times: 1 });
  await assert.rejects(world.preparer.prepare(world.preparation, signal), { code: 'HostConnectionLost' });
  await world.preparer.stopAgent({ ...world.preparation, epoch: 4 }, signal);
  assert.equal(world.mac.view().agent, undefined);
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
    ['tart', 'agent'],
  );
});

for (const { id } of BOOTSTRAP_STEPS) {
  test(`no secret is told when ${id} fails and prints all it knows`, async () => {
    const world = stage();
    const { server } = world;
    const output = `${server.password.reveal()}\ntoken: canary-token-4711`;
    world.mac.addStepFault({ step: id, kind: 'exit', times: 1, output });
    const error = await errorOf(world.preparer.prepare(world.preparation, signal));
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
