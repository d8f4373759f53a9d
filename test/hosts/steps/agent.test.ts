import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { StepFiles } from '../../../src/hosts/program/compose.ts';
import { until } from '../sshd-stage.ts';
import { agentBundle, dyingRuntime, packedRuntime } from './artefacts.ts';
import {
  HOME,
  mutate,
  STEP_FILES,
  type StepCallOptions,
  type StepsStage,
  stageSteps,
  startMachine,
} from './steps-stage.ts';

const JOB = 'dev.tuist.tart-kubelet';
const PLIST = `/Library/LaunchDaemons/${JOB}.plist`;
const DONE = 'check 1, apply 0, verify 0';
const AGENT: StepCallOptions = {
  inputs: { nodeName: 'runner-1', providerId: 'scw-applesilicon://fr-par-1/id', fleet: 'runners' },
};

/** Its files are there. One that dies needs a Mac whose seconds are long enough for a real process to start and die in. */
const stageAgent = async (t: TestContext, runtime = packedRuntime('v26')): Promise<StepsStage> => {
  const stage = await stageSteps(t, { timeScale: runtime === DYING ? 4 : 15 });
  await putFiles(stage, agentBundle('1'), runtime);
  return stage;
};

const DYING = dyingRuntime();

const putFiles = async (stage: StepsStage, bundle: string, runtime = packedRuntime('v26')): Promise<void> => {
  const { steps } = await stage.batch({
    'agent-runtime': { inputs: { artefact_node: stage.upload(runtime) } },
    'agent-bundle': { inputs: { artefact_agent: stage.upload(bundle) } },
    kubeconfig: { secrets: { kubeconfig: 'kind: Config\n' } },
  });
  for (const { step, phases } of steps) assert.equal(phases.at(-1)?.exitCode, 0, `${step}: ${stage.said()}`);
};

const pidOf = ({ mac }: StepsStage): number | undefined => mac.model.launchd.job(JOB)?.pid;
const registrations = ({ mac }: StepsStage): number => mac.model.launchd.registrations(JOB);

for (const shell of ['bash', 'zsh'] as const) {
  test(`004-3: the agent is started, found running, and started again for new files only, through ${shell}`, async (t) => {
    const stage = await stageAgent(t);
    assert.equal(await stage.step('agent', { ...AGENT, do: 'check' }, { shell }), 'check 1');
    assert.equal(await stage.step('agent', AGENT, { shell }), DONE, stage.said());
    const first = pidOf(stage);
    assert.ok(first !== undefined);
    assert.equal(await stage.step('agent', AGENT, { shell }), 'check 0', stage.said());
    assert.equal(await stage.step('agent', { ...AGENT, digest: 'd2' }, { shell }), 'check 0, apply 0, verify 0');
    assert.equal(pidOf(stage), first, 'another digest over the same files starts nothing');
    await putFiles(stage, agentBundle('2'));
    assert.equal(await stage.step('agent', AGENT, { shell }), DONE, stage.said());
    assert.notEqual(pidOf(stage), first);
    assert.equal(registrations(stage), 1, 'an identical plist is not registered again');
  });
}

test('004-3: a job that changed is registered anew', async (t) => {
  const stage = await stageAgent(t);
  await stage.step('agent', AGENT);
  const first = pidOf(stage);
  const labelled = { inputs: { ...AGENT.inputs, nodeLabels: 'b=2,a=1' } };
  assert.equal(await stage.step('agent', labelled), DONE, stage.said());
  assert.notEqual(pidOf(stage), first);
  assert.equal(registrations(stage), 2);
  assert.match(stage.readText(PLIST), />--node-labels=a=1,b=2,tuist\.dev\/fleet=runners</);
});

test('004-3, F50: an agent that dies at once is no agent, however often launchd starts it', async (t) => {
  const stage = await stageAgent(t, DYING);
  assert.equal(await stage.step('agent', AGENT), 'check 1, apply 70');
  assert.match(stage.said(), /dies again and again, the last time with 64/);
  const { steps } = await stage.batch({ agent: { ...AGENT, do: 'check' } });
  assert.equal(steps[0]?.recorded, undefined, '004-5: only what was verified is recorded');
  await putFiles(stage, agentBundle('2'));
  assert.equal(await stage.step('agent', AGENT), DONE, stage.said());
});

test('F50: the original took any process that it saw for a running one', async (t) => {
  const stage = await stageAgent(t, DYING);
  await stage.step('agent', AGENT);
  await until('it is started again', async () => {
    const { stdout } = await stage.run(`launchctl print system/${JOB}`);
    return /pid = \d+/.test(stdout);
  });
});

test('004-5: a roll leaves virtual machines alone', async (t) => {
  const stage = await stageAgent(t);
  await stage.step('agent', AGENT);
  await startMachine(t, stage);
  await putFiles(stage, agentBundle('2'));
  assert.equal(await stage.step('agent', AGENT), DONE, stage.said());
  assert.equal((await stage.run("pgrep -f '^/usr/local/.*tart run vm$'")).exitCode, 0);
});

test('an agent that launchd started again since is right if it stays', async (t) => {
  const stage = await stageAgent(t);
  await stage.step('agent', AGENT);
  const first = pidOf(stage);
  await stage.asRoot(`kill -KILL ${first}`);
  await until('launchd starts it again', () => ![undefined, first].includes(pidOf(stage)));
  assert.equal(await stage.step('agent', AGENT), 'check 0', stage.said());
});

test('F49 §7-3: a program that macOS kills for its signature is told as that', async (t) => {
  const stage = await stageAgent(t);
  const runtime = '/usr/local/lib/tart-kubelet/node';
  await stage.asRoot(`sed -i '' '/^# signed/d' ${runtime}`);
  assert.equal(await stage.step('agent', AGENT), 'check 1, apply 70');
  assert.match(stage.said(), /kills dev\.tuist\.tart-kubelet for its signature/);
});

test('T-77: folders and log belong to the agent, and are repaired', async (t) => {
  const stage = await stageAgent(t);
  await stage.step('agent', AGENT);
  const folders = ['/var/log/tart-vms', '/var/lib/tart-userdata', '/var/lib/tart-vnc-control', '/etc/tart-kubelet'];
  for (const path of [...folders, '/var/log/tart-kubelet.log'])
    assert.equal(stage.mac.files.facts(path)?.uid, 501, path);
  await stage.asRoot('chown root:wheel /var/lib/tart-vnc-control');
  assert.equal(await stage.step('agent', AGENT), DONE, stage.said());
});

test('uploaded files that nothing uses any more are removed', async (t) => {
  const stage = await stageAgent(t);
  const unused = stage.upload('of an earlier version');
  await stage.step('agent', AGENT);
  const left = stage.mac.files.list(`${HOME}/.macfleet/artefacts`);
  assert.equal(left.length, 2);
  assert.ok(!left.includes(unused));
});

test('a number that is none is refused before anything is written', async (t) => {
  const stage = await stageAgent(t);
  assert.equal(await stage.step('agent', { inputs: { ...AGENT.inputs, hostCpu: '8; reboot' } }), 'check 70');
  assert.equal(stage.readText(PLIST), '');
});

test('the agent is ended for good before a Mac is given back', async (t) => {
  const stage = await stageAgent(t);
  assert.equal(await stage.step('stop-agent', { digest: '' }), 'check 0', 'there is none yet');
  await stage.step('agent', AGENT);
  assert.equal(await stage.step('stop-agent', { digest: '' }), DONE, stage.said());
  assert.equal(stage.mac.model.launchd.job(JOB), undefined);
  assert.equal(await stage.step('stop-agent', { digest: '' }), 'check 0');
  await stage.reboot();
  assert.equal(stage.mac.model.launchd.job(JOB), undefined);
});

test('F48: the original ended and registered the job in one breath, and lost it', async (t) => {
  const stage = await stageAgent(t);
  await stage.step('agent', AGENT);
  const { exitCode } = await stage.asRoot(`launchctl bootout system/${JOB}; launchctl bootstrap system ${PLIST}`);
  assert.notEqual(exitCode, 0);
  await until('it is gone', () => stage.mac.model.launchd.job(JOB) === undefined);
  assert.equal(await stage.step('agent', AGENT), DONE, stage.said());
});

/** More new versions than macOS takes registrations, after which the agent is still one that comes back when it dies. */
const rollsForEver = async (stage: StepsStage, files: StepFiles): Promise<void> => {
  for (let version = 1; version <= 5; version += 1) {
    await putFiles(stage, agentBundle(String(version)));
    assert.equal(await stage.step('agent', AGENT, { files }), DONE, stage.said());
  }
  assert.equal(stage.mac.model.launchd.job(JOB)?.isHeldBack, false, 'launchd keeps it alive');
};

test('004-3, F48 §7-4: five rolls later launchd still keeps the agent alive', async (t) => {
  await rollsForEver(await stageAgent(t), STEP_FILES);
});

test('004-3: a job that macOS holds back is started by hand, which is said', async (t) => {
  const stage = await stageAgent(t);
  stage.mac.model.launchd.setRegistrations(10);
  assert.equal(await stage.step('agent', AGENT), DONE, stage.said());
  assert.match(stage.said(), /not kept alive until the Mac is restarted/);
});

test('mutant M26: the job is registered anew on every roll: found', async (t) => {
  const files = mutate('agent', '[ -n "$old" ] && plist | file_is', 'false && plist | file_is');
  await assert.rejects(rollsForEver(await stageAgent(t), files), assert.AssertionError);
});
