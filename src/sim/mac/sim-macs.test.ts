import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createManualClock, type ManualClock } from '../../base/testing/manual-clock.ts';
import type { Batch, HostSession, HostTarget, StepAnswer, StepCall } from '../../hosts/port.ts';
import { type HostsContractWorld, testHostsContract } from '../../hosts/testing/hosts-contract.ts';
import { createSimCloud, type SimCloud } from '../cloud/sim-cloud.ts';
import type { SimServer } from '../cloud/sim-server.ts';
import { createKernel } from '../kernel/kernel.ts';
import type { StepFault } from './mac-faults.ts';
import type { SimMac } from './sim-mac.ts';
import { createSimMacs, type SimMacs } from './sim-macs.ts';
import { createStepLevelConfiguration } from './step-level-configuration.ts';
import { switchesOfStepLevel } from './step-level-faults.ts';
import { LOGIN_SWITCHES } from './testing/fault-switches.ts';

const fleetKey = new Secret('fleet private key');
const kubeconfig = new Secret('apiVersion: v1\nkind: Config\n');
const signal = neverAborted();
const REINSTALL_MS = 900_000;
const REBOOT_MS = 104_000;

interface Stage {
  readonly clock: ManualClock;
  readonly cloud: SimCloud;
  readonly server: SimServer;
  readonly macs: SimMacs;
  readonly mac: SimMac;
  readonly target: HostTarget;
  /** `start <node>` and `stop <node>`, in order. */
  readonly agents: readonly string[];
}

/** Scripts take no time, unless they are to be watched at work. */
const stage = (pace: 'at once' | 'in the time of life' = 'at once'): Stage => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const agents: string[] = [];
  const macs = createSimMacs({
    ...{ cloud, clock, fleetKey, random: createSeededRandom(4), timeScale: pace === 'at once' ? 0 : 1 },
    startAgent: ({ nodeName }) => {
      agents.push(`start ${nodeName}`);
      return () => agents.push(`stop ${nodeName}`);
    },
  });
  const mac = macs.mac(server.id);
  const target = { address: server.address, user: 'm1', privateKey: fleetKey, pinnedHostKey: mac.view().hostKey };
  return { clock, cloud, server, macs, mac, target, agents };
};

const converge = (step: string, more: Partial<StepCall> = {}): StepCall => ({
  ...{ step, do: 'converge', inputs: {}, secrets: {}, digest: '' },
  ...more,
});

const batchOf = (call: StepCall, epoch = 1): Batch => ({ epoch, calls: [call], timeoutMs: 60_000 });

const runOn = async (session: HostSession, call: StepCall, epoch?: number): Promise<StepAnswer> => {
  const { steps } = await session.run(batchOf(call, epoch), signal);
  const [answer] = steps;
  assert.ok(answer !== undefined);
  return answer;
};

/** `<phase> <exit code>` of the last phase that ran. */
const endOf = ({ phases }: StepAnswer): string => `${phases.at(-1)?.phase} ${phases.at(-1)?.exitCode}`;

const { artefacts } = createStepLevelConfiguration();
const tartInputs = { artefact_tart: artefacts['tart']?.sha256 ?? '' };
const bundleInputs = { artefact_agent: artefacts['agent']?.sha256 ?? '' };
const firstLook = converge('first-look', { inputs: { claim: 'ours' } });

/** From a fresh Mac to one whose agent runs. */
const bootstrap = async ({ macs, target, server }: Stage, nodeName = 'mac-1'): Promise<HostSession> => {
  const session = await macs.hosts.open(target, signal);
  await session.upload(Object.values(artefacts), signal);
  const inputs = { claim: 'ours', nodeName, providerId: 'scw-applesilicon://z/1', fleet: 'runners', ...bundleInputs };
  const secrets = { sudoPassword: server.password, kubeconfig };
  for (const step of ['first-look', 'sudo', 'auto-login', 'kubeconfig', 'agent-bundle', 'agent']) {
    assert.equal(endOf(await runOn(session, converge(step, { inputs, secrets }))), 'verify 0', step);
  }
  return session;
};

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'answered';
  } catch (error) {
    return error instanceof FleetError ? error.code : String(error);
  }
};

const contractParts = (macs: SimMacs, server: SimServer): Omit<HostsContractWorld, 'hosts' | 'target'> => ({
  sudoPassword: server.password,
  foreignKey: new Secret('foreign'),
  nowhere: { address: '198.18.255.254' },
  breakNextCheck: (step, kind) => macs.mac(server.id).addStepFault({ step, kind, phase: 'check', times: 1 }),
});

testHostsContract('simulated Macs in real time', async (body) => {
  const { macs, target, server } = stage();
  await body({ hosts: macs.hosts, target: { ...target, pinnedHostKey: undefined }, ...contractParts(macs, server) });
});

testHostsContract('simulated Macs on the kernel', async (body) => {
  const kernel = createKernel({ seed: 2 });
  const { clock } = kernel.actor('metal');
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const startAgent = (): (() => void) => () => undefined;
  const macs = createSimMacs({ cloud, clock, fleetKey, random: createSeededRandom(4), startAgent });
  const target = { address: server.address, user: 'm1', privateKey: fleetKey, pinnedHostKey: undefined };
  kernel.boot('client', (actor) => body({ hosts: macs.kernelHosts(actor), target, ...contractParts(macs, server) }));
  await kernel.run({ maxEvents: 10_000, maxVirtualMs: 3_600_000 });
});

test('the agent step starts the node agent with what the Mac was given', async () => {
  const world = stage();
  await bootstrap(world);
  assert.deepEqual(world.agents, ['start mac-1']);
  assert.deepEqual(world.mac.view().agent, {
    ...{ nodeName: 'mac-1', providerId: 'scw-applesilicon://z/1', fleet: 'runners' },
    kubeconfig,
  });
});

test('a reboot stops the agent and starts it again; the session is lost and the host key stays', async () => {
  const world = stage();
  const session = await bootstrap(world);
  world.cloud.as('operator').reboot(world.server);
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1']);
  assert.equal(await codeOf(world.macs.hosts.open(world.target, signal)), 'HostUnreachable');
  world.clock.advance(REBOOT_MS);
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1', 'start mac-1']);
  assert.equal(await codeOf(runOn(session, converge('tart'))), 'HostConnectionLost');
  const again = await world.macs.hosts.open({ ...world.target, pinnedHostKey: session.hostKey }, signal);
  assert.equal(endOf(await runOn(again, converge('agent-bundle', { do: 'check', inputs: bundleInputs }))), 'check 0');
});

test('a reinstall stops the agent, forgets everything and shows a new host key', async () => {
  const world = stage();
  const session = await bootstrap(world);
  world.cloud.as('operator').reinstall(world.server);
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1']);
  world.clock.advance(REINSTALL_MS);
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1']);
  const { agent, hasKubeconfig, epochFile, hostname } = world.mac.view();
  assert.deepEqual([agent, hasKubeconfig, epochFile, hostname], [undefined, false, undefined, undefined]);
  const pinned = { ...world.target, pinnedHostKey: session.hostKey };
  assert.equal(await codeOf(world.macs.hosts.open(pinned, signal)), 'HostKeyChanged');
  const fresh = await world.macs.hosts.open({ ...world.target, pinnedHostKey: world.mac.view().hostKey }, signal);
  assert.equal(await codeOf(runOn(fresh, converge('tart'))), 'NotFenced');
});

test('after a reinstall the Mac knows the password that the cloud now shows, and not the old one', async () => {
  const { cloud, clock, server, macs, mac, target } = stage();
  cloud.as('operator').reinstall(server);
  clock.advance(REINSTALL_MS);
  const session = await macs.hosts.open({ ...target, pinnedHostKey: mac.view().hostKey }, signal);
  await runOn(session, firstLook);
  const sudo = async (sudoPassword: Secret<string> | undefined): Promise<string> =>
    endOf(await runOn(session, converge('sudo', { secrets: sudoPassword ? { sudoPassword } : {} })));
  assert.equal(await sudo(server.password), 'apply 77');
  assert.equal(await sudo(cloud.server(server.id)?.password), 'verify 0');
});

test('a reinstall that keeps the disk leaves marks that the first look of another claim finds', async () => {
  const world = stage();
  await bootstrap(world);
  world.cloud.setNextReinstall(world.server.id, 'disk-kept');
  world.cloud.as('operator').reinstall(world.server);
  world.clock.advance(REINSTALL_MS);
  const session = await world.macs.hosts.open(world.target, signal);
  assert.equal(await codeOf(runOn(session, converge('first-look', { inputs: { claim: 'other' } }))), 'NotWiped');
});

test("an agent's kubeconfig without an epoch file is found by the first look too", async () => {
  const { mac, macs, target } = stage();
  mac.plantLeftover({ kubeconfig });
  const session = await macs.hosts.open(target, signal);
  assert.equal(endOf(await runOn(session, { ...firstLook, do: 'check' })), 'check 1');
  assert.equal(await codeOf(runOn(session, firstLook)), 'NotWiped');
  assert.equal(mac.view().epochFile, undefined);
  const takeover = converge('first-look', { inputs: { claim: 'ours', takeover: 'yes' } });
  assert.equal(endOf(await runOn(session, takeover)), 'verify 0');
});

test('a deleted server takes its Mac along', async () => {
  const world = stage();
  await bootstrap(world);
  world.cloud.deleteServer(world.server.id);
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1']);
  assert.equal(await codeOf(world.macs.hosts.open(world.target, signal)), 'HostUnreachable');
});

test('a server that is delivered later has a Mac that answers from then on', async () => {
  const { cloud, clock, macs, target } = stage();
  const { address } = cloud.addServer({ name: 'ordered', status: 'starting' });
  const ordered = { ...target, address, pinnedHostKey: undefined };
  assert.equal(await codeOf(macs.hosts.open(ordered, signal)), 'HostUnreachable');
  clock.advance(137_000);
  assert.equal(await codeOf(macs.hosts.open(ordered, signal)), 'answered');
});

test('five wrong passwords lock the account until a reboot, and a right one is refused then', async () => {
  const { macs, mac, target, server, cloud, clock } = stage();
  const session = await macs.hosts.open(target, signal);
  await runOn(session, firstLook);
  const sudo = async (sudoPassword: Secret<string>): Promise<string> =>
    (await runOn(session, converge('sudo', { secrets: { sudoPassword } }))).output;
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assert.match(await sudo(new Secret('wrong')), /did not take the password/);
    assert.equal(mac.view().sudoFailures, attempt);
  }
  assert.equal(mac.view().isLocked, true);
  assert.match(await sudo(server.password), /locked/);
  cloud.as('operator').reboot(server);
  clock.advance(REBOOT_MS);
  assert.equal(mac.view().isLocked, false);
});

test('a right password makes earlier mistakes forgotten, and sudo is never asked again', async () => {
  const { macs, mac, target, server } = stage();
  const session = await macs.hosts.open(target, signal);
  await runOn(session, firstLook);
  const sudo = (sudoPassword: Secret<string>) => runOn(session, converge('sudo', { secrets: { sudoPassword } }));
  await sudo(new Secret('wrong'));
  await sudo(server.password);
  assert.equal(mac.view().sudoFailures, 0);
  assert.equal(endOf(await sudo(new Secret('wrong'))), 'check 0');
  assert.equal(mac.view().sudoFailures, 0);
});

test('steps that need root fail without a sudoers file, and cost no attempt', async () => {
  const { macs, mac, target } = stage();
  const session = await macs.hosts.open(target, signal);
  await runOn(session, firstLook);
  for (const step of [
    'auto-login',
    'idle-sleep',
    'hostname',
    'tart',
    'firewall',
    'kubeconfig',
    'agent',
    'stop-agent',
  ]) {
    const answer = await runOn(session, converge(step, { digest: 'forces an apply' }));
    assert.equal(endOf(answer), 'apply 1', step);
    assert.match(answer.output, /sudo: a password is required\n$/);
  }
  assert.equal(mac.view().sudoFailures, 0);
});

test('auto-login with a wrong password is accepted and found out by its verify', async () => {
  const world = stage();
  const session = await bootstrap(world);
  const secrets = { sudoPassword: new Secret('wrong') };
  const answer = await runOn(session, converge('auto-login', { secrets, digest: 'new' }));
  assert.equal(endOf(answer), 'verify 1');
  assert.match(answer.output, /<sealed>/);
});

test('a new kubeconfig restarts the agent, the same one does not', async () => {
  const world = stage();
  const session = await bootstrap(world);
  const inputs = { nodeName: 'mac-1', providerId: 'scw-applesilicon://z/1', fleet: 'runners' };
  const agent = converge('agent', { inputs });
  assert.equal(endOf(await runOn(session, agent)), 'check 0');
  await runOn(session, converge('kubeconfig', { secrets: { kubeconfig: new Secret('another') } }));
  assert.equal(endOf(await runOn(session, agent)), 'verify 0');
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1', 'start mac-1']);
});

test('stop-agent stops it for good: a reboot does not bring it back', async () => {
  const world = stage();
  const session = await bootstrap(world);
  assert.equal(endOf(await runOn(session, converge('stop-agent'))), 'verify 0');
  world.cloud.as('operator').reboot(world.server);
  world.clock.advance(REBOOT_MS);
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1']);
});

interface FaultRow {
  readonly kind: StepFault['kind'];
  readonly seen: string;
  /** Whether the step was done in spite of it. */
  readonly isDone: boolean;
}

const faultRows: readonly FaultRow[] = [
  { kind: 'exit', seen: 'apply 1', isDone: false },
  { kind: 'lost-before', seen: 'HostConnectionLost', isDone: false },
  { kind: 'lost-after', seen: 'HostConnectionLost', isDone: true },
];

for (const { kind, seen, isDone } of faultRows) {
  test(`a step with the fault ${kind} is seen as ${seen} twice, then goes well`, async () => {
    const world = stage();
    const session = await bootstrap(world);
    world.mac.addStepFault({ step: 'tart', kind, times: 2 });
    const run = async (what: StepCall['do']): Promise<string> => {
      let end = '';
      const call = converge('tart', { do: what, inputs: tartInputs, digest: 'd1' });
      const code = await codeOf(
        runOn(session, call).then((answer) => {
          end = endOf(answer);
        }),
      );
      return code === 'answered' ? end : code;
    };
    assert.equal(await run('converge'), seen);
    assert.equal(await run('check'), isDone ? 'check 0' : 'check 1');
    assert.equal(await run('converge'), seen);
    assert.equal(await run('converge'), 'verify 0');
  });
}

test('a step that hangs ends when the caller gives up', async () => {
  const world = stage();
  const session = await bootstrap(world);
  world.mac.addStepFault({ step: 'tart', kind: 'hang', times: 1 });
  const controller = new AbortController();
  const hanging = codeOf(session.run(batchOf(converge('tart', { inputs: tartInputs })), controller.signal));
  controller.abort();
  assert.equal(await hanging, 'Cancelled');
});

test('refused connections, a forgotten key and a changed host key are told apart', async () => {
  const { macs, mac, target } = stage();
  mac.refuseConnections(1);
  assert.equal(await codeOf(macs.hosts.open(target, signal)), 'HostUnreachable');
  assert.equal(await codeOf(macs.hosts.open(target, signal)), 'answered');
  mac.changeHostKey();
  assert.equal(await codeOf(macs.hosts.open(target, signal)), 'HostKeyChanged');
  mac.forgetKey();
  const unpinned = { ...target, pinnedHostKey: undefined };
  assert.equal(await codeOf(macs.hosts.open(unpinned, signal)), 'AuthenticationFailed');
});

test('a script at work when a newer operation begins does nothing any more', async () => {
  const { clock, server, macs, target } = stage('in the time of life');
  const session = await macs.hosts.open(target, signal);
  const look = codeOf(runOn(session, firstLook));
  await passTime(clock, 5);
  assert.equal(await look, 'answered');
  const old = codeOf(runOn(session, converge('sudo', { secrets: { sudoPassword: server.password } })));
  await passTime(clock, 1);
  const newer = codeOf(runOn(session, converge('sudo', { do: 'check' }), 2));
  await passTime(clock, 5);
  assert.equal(await newer, 'answered');
  assert.equal(await old, 'StaleEpoch');
});

test('a Mac that loses its power under a script loses the script', async () => {
  const kernel = createKernel({ seed: 5, network: { default: { minLatencyMs: 1, maxLatencyMs: 1 } } });
  const { clock } = kernel.actor('metal');
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const startAgent = (): (() => void) => () => undefined;
  const macs = createSimMacs({ cloud, clock, fleetKey, random: createSeededRandom(4), startAgent });
  const pinnedHostKey = macs.mac(server.id).view().hostKey;
  const target = { address: server.address, user: 'm1', privateKey: fleetKey, pinnedHostKey };
  let seen = '';
  kernel.boot('client', async (actor) => {
    const session = await macs.kernelHosts(actor).open(target, signal);
    seen = await codeOf(runOn(session, firstLook));
  });
  kernel.schedule(300, 'reboot', () => cloud.as('operator').reboot(server));
  await kernel.run({ maxEvents: 1_000, maxVirtualMs: 3_600_000 });
  assert.equal(seen, 'HostConnectionLost');
  assert.equal(macs.mac(server.id).view().epochFile, undefined);
});

test('stopping ends agents and scripts, and a Mac never comes back', async () => {
  const world = stage('in the time of life');
  const { clock, cloud, server, macs, target, agents } = world;
  const session = await macs.hosts.open(target, signal);
  const look = codeOf(runOn(session, firstLook));
  await settled();
  assert.equal(clock.timers, 1);
  macs.stop();
  assert.equal(await look, 'Cancelled');
  assert.equal(clock.timers, 0);
  cloud.as('operator').reboot(server);
  clock.advance(REBOOT_MS);
  assert.equal(await codeOf(macs.hosts.open(target, signal)), 'HostUnreachable');
  assert.deepEqual(agents, []);
});

test('stopping ends agents that run', async () => {
  const world = stage();
  await bootstrap(world);
  world.macs.stop();
  assert.deepEqual(world.agents, ['start mac-1', 'stop mac-1']);
});

/** So many phases, one after the other. */
const passTime = async (clock: ManualClock, phases: number): Promise<void> => {
  for (let left = phases; left > 0; left -= 1) {
    await settled();
    clock.advance(30_000);
  }
  await settled();
};

/** Lets every promise that can settle do so. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

for (const { fault, logins, afterBoot } of LOGIN_SWITCHES) {
  test(`macfleet sim fault ${fault} is seen by whoever logs in, as on a Mac with real bash`, async () => {
    const { macs, mac, target } = stage();
    const logIn = async (): Promise<string> => {
      try {
        await (await macs.hosts.open(target, signal)).close();
        return 'done';
      } catch (error) {
        return error instanceof FleetError ? `${error.kind} ${error.code}` : assert.fail(String(error));
      }
    };
    switchesOfStepLevel(mac)[fault](1);
    assert.deepEqual([await logIn(), await logIn()], logins);
    mac.rebootItself();
    assert.equal(await logIn(), afterBoot);
  });
}

test('macfleet sim fault pf-wedged and ssh-cut meet the next step, as often as asked for', async () => {
  const { macs, mac, target } = stage();
  const session = await macs.hosts.open(target, signal);
  await runOn(session, converge('first-look', { inputs: { claim: 'ours' } }));
  switchesOfStepLevel(mac)['pf-wedged'](1);
  const load = async (): Promise<string> => JSON.stringify(await runOn(session, converge('firewall')));
  assert.match(await load(), /Resource busy/);
  assert.doesNotMatch(await load(), /Resource busy/);
  switchesOfStepLevel(mac)['ssh-cut'](1);
  await assert.rejects(runOn(session, converge('firewall')), { code: 'HostConnectionLost' });
});
