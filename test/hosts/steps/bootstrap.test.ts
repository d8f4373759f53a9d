import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { BOOTSTRAP_STEPS, type Step } from '../../../src/hosts/step.ts';
import type { MacShell } from '../../../src/sim/mac/bash/bash-mac.ts';
import { findMacScenario } from '../../../src/sim/mac/bash/scenarios.ts';
import { stageScenario } from '../../../src/sim/mac/bash/stage-scenario.ts';
import { PASSWORD } from '../mac/stage.ts';
import { agentBundle, packedRuntime, tartArchive } from './artefacts.ts';
import { LEGACY_HOSTS, type LegacyHost } from './legacy-hosts.ts';
import { type StepCallOptions, type StepsStage, stageSteps } from './steps-stage.ts';

const TOKEN = 'canary-token-4711';
const VALUES: Readonly<Record<string, string>> = {
  ...{
    claim: 'c',
    takeover: 'yes',
    nodeName: 'runner-1',
    providerId: 'scw-applesilicon://fr-par-1/id',
    fleet: 'runners',
  },
};
const SECRETS: Readonly<Record<string, string>> = {
  ...{ sudoPassword: PASSWORD, kubeconfig: `kind: Config\nusers: [{user: {token: ${TOKEN}}}]\n` },
};

const FIRST = ['first-look', 'sudo'];
const WAVES = [
  FIRST.slice(0, 1),
  FIRST.slice(1),
  BOOTSTRAP_STEPS.map(({ id }) => id).filter((id) => !FIRST.includes(id) && id !== 'agent'),
  ['agent'],
];

const stageLegacy = async (t: TestContext, { files, commands }: LegacyHost): Promise<StepsStage> => {
  const stage = await stageSteps(t, { start: 'fresh' });
  for (const [path, { content, mode }] of Object.entries(files))
    stage.mac.files.write(path, content, mode === undefined ? {} : { mode });
  for (const command of commands) await stage.asRoot(command);
  return stage;
};

const callOf = (sums: Readonly<Record<string, string>>, step: Step, what: StepCallOptions['do']): StepCallOptions => ({
  ...(what === undefined ? {} : { do: what }),
  inputs: Object.fromEntries([
    ...Object.entries(step.inputs).map(([name, { fallback }]) => [name, VALUES[name] ?? fallback ?? '']),
    ...step.artefacts.map((name) => [`artefact_${name}`, sums[name] ?? '']),
  ]),
  secrets: Object.fromEntries(step.secretInputs.map((name) => [name, SECRETS[name] ?? ''])),
});

const ARTEFACTS = { tart: tartArchive('2.30.0'), node: packedRuntime('v26'), agent: agentBundle('1') };

const bootstrap = async (stage: StepsStage, shell: MacShell): Promise<string> => {
  const sums = Object.fromEntries(Object.entries(ARTEFACTS).map(([name, content]) => [name, stage.upload(content)]));
  const calls = (ids: readonly string[], what: StepCallOptions['do']): Readonly<Record<string, StepCallOptions>> =>
    Object.fromEntries(
      BOOTSTRAP_STEPS.filter(({ id }) => ids.includes(id)).map((step) => [step.id, callOf(sums, step, what)]),
    );
  let raw = '';
  for (const wave of WAVES) {
    const outcome = await stage.batch(calls(wave, 'converge'), { shell });
    raw += outcome.raw;
    for (const { step, phases } of outcome.steps) assert.equal(phases.at(-1)?.exitCode, 0, `${step}: ${outcome.raw}`);
  }
  const survey = await stage.batch(calls(WAVES.flat(), 'check'), { shell });
  assert.deepEqual(
    survey.steps.map(({ step, phases }) => `${step} ${phases.map(({ exitCode }) => exitCode)}`),
    BOOTSTRAP_STEPS.map(({ id }) => `${id} 0`),
    survey.raw,
  );
  return raw + survey.raw;
};

/** What a Mac is made of when we are done, whatever was there before. */
const managedFiles = ({ mac }: StepsStage): Readonly<Record<string, string>> => {
  const folders = [
    '/etc/pf.anchors',
    '/etc/sudoers.d',
    '/usr/local/bin',
    '/usr/local/lib/tart-kubelet',
    '/Library/LaunchDaemons',
  ];
  const paths = [
    ...folders.flatMap((folder) => mac.files.list(folder).map((name) => `${folder}/${name}`)),
    ...['/etc/pf.conf', '/etc/kcpassword', '/etc/tart-kubelet/kubeconfig', '/usr/local/lib/tart.app.sha256'],
    '/usr/local/lib/tart.app/Contents/MacOS/tart',
  ];
  return Object.fromEntries(
    paths.map((path) => {
      const { mode, uid } = mac.files.facts(path) ?? {};
      return [path, `${mode?.toString(8)} ${uid} ${mac.files.read(path)?.toString('latin1')}`];
    }),
  );
};

test('S20: from whatever it was, a Mac becomes the same to the letter, through bash and zsh', async (t) => {
  let expected: Readonly<Record<string, string>> | undefined;
  for (const [at, legacy] of LEGACY_HOSTS.entries()) {
    await t.test(legacy.story, async (t) => {
      const stage = await stageLegacy(t, legacy);
      const shells: readonly MacShell[] = at % 2 === 0 ? ['bash', 'zsh'] : ['zsh', 'bash'];
      const told = await bootstrap(stage, shells[0] ?? 'bash');
      const first = managedFiles(stage);
      const pid = stage.mac.model.launchd.job('dev.tuist.tart-kubelet')?.pid;
      await bootstrap(stage, shells[1] ?? 'bash');
      assert.deepEqual(managedFiles(stage), first, 'a second time changes nothing');
      assert.equal(stage.mac.model.launchd.job('dev.tuist.tart-kubelet')?.pid, pid, 'and starts nothing');
      assert.deepEqual(first, expected ?? first);
      expected = first;
      for (const canary of [TOKEN, PASSWORD]) assert.ok(!told.includes(canary), 'no secret comes back');
      // The simulated sudo hands on what it read from its standard input.
      const asked = stage.mac.model.asked.filter(({ name }) => name !== 'sudo').flatMap(({ args }) => args);
      for (const canary of [TOKEN, PASSWORD])
        assert.ok(!asked.some((arg) => arg.includes(canary)), 'none is an argument');
    });
  }
});

const RECOVERS_FROM = [
  ...['pf-wedged', 'sealed', 'loginwindow-dead', 'btm-throttled', 'sshd-stuck', 'go-fleet-leftovers', 'clock-behind'],
  ...['keychain-closed', 'local-network-blocked', 'cache-volume-read-only', 'uplink-broken', 'addresses-gone'],
];
for (const name of RECOVERS_FROM) {
  test(`a Mac is prepared in the scenario ${name}`, async (t) => {
    const stage = await stageSteps(t, { start: 'fresh' });
    await stageScenario(stage.mac, findMacScenario(name));
    await bootstrap(stage, 'zsh');
  });
}

test('a Mac that is done runs everything after a restart, and is found done', async (t) => {
  const [fresh] = LEGACY_HOSTS;
  assert.ok(fresh !== undefined);
  const stage = await stageLegacy(t, fresh);
  await bootstrap(stage, 'bash');
  await stage.reboot();
  await bootstrap(stage, 'zsh');
});
