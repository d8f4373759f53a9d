import assert from 'node:assert/strict';
import test from 'node:test';
import { agentBundle, packedRuntime, tartArchive } from './artefacts.ts';
import { HOME, mutate, STEP_FILES, stageSteps, startMachine } from './steps-stage.ts';

const TART = '/usr/local/lib/tart.app/Contents/MacOS/tart';
const RUNTIME = '/usr/local/lib/tart-kubelet/node';
const BUNDLE = '/usr/local/lib/tart-kubelet/tart-kubelet.mjs';
const KUBECONFIG = '/etc/tart-kubelet/kubeconfig';
const DONE = 'check 1, apply 0, verify 0';

for (const shell of ['bash', 'zsh'] as const) {
  test(`Tart is installed from its archive, and replaced by another, through ${shell}`, async (t) => {
    const { step, upload, run, readText, said, asRoot } = await stageSteps(t);
    const first = { inputs: { artefact_tart: upload(tartArchive('2.30.0')) } };
    assert.equal(await step('tart', first, { shell }), DONE, said());
    assert.equal((await run('/usr/local/bin/tart --version')).stdout, '2.30.0\n');
    assert.match(
      readText('/usr/local/bin/tart'),
      /^#!\/bin\/sh\nexec \/usr\/local\/lib\/tart\.app\/Contents\/MacOS\/tart "\$@"\n$/,
    );
    assert.equal(await step('tart', first, { shell }), 'check 0', said());
    const second = { inputs: { artefact_tart: upload(tartArchive('2.31.0')) } };
    assert.equal(await step('tart', second, { shell }), DONE, said());
    assert.equal((await run('/usr/local/bin/tart --version')).stdout, '2.31.0\n');
    const { stdout } = await asRoot('ls -A /usr/local/lib');
    assert.deepEqual(stdout.trim().split('\n').sort(), ['tart.app', 'tart.app.sha256'], 'nothing is left over');
  });

  test(`004-4: the runtime is signed, on a new inode, and tried before it is in its place, through ${shell}`, async (t) => {
    const { step, upload, run, mac, said } = await stageSteps(t);
    const first = { inputs: { artefact_node: upload(packedRuntime('v26.10.0')) } };
    assert.equal(await step('agent-runtime', first, { shell }), DONE, said());
    assert.equal((await run(`${RUNTIME} -p 1+1`)).stdout, '2\n');
    assert.equal(await step('agent-runtime', first, { shell }), 'check 0', said());
    const inode = mac.files.facts(RUNTIME)?.inode;
    const second = { inputs: { artefact_node: upload(packedRuntime('v26.11.0', 'unsigned')) } };
    assert.equal(await step('agent-runtime', second, { shell }), DONE, said());
    assert.equal((await run(`${RUNTIME} -p 1+1`)).stdout, '2\n');
    assert.notEqual(mac.files.facts(RUNTIME)?.inode, inode);
  });

  test(`the agent's program and its command are put in their places, through ${shell}`, async (t) => {
    const { step, upload, readText, mac, said } = await stageSteps(t);
    mac.files.write('/usr/local/bin/tart-kubelet', '\xcf\xfa\xed\xfe a Go program', { mode: 0o755 });
    const call = { inputs: { artefact_agent: upload(agentBundle('1')) } };
    assert.equal(await step('agent-bundle', call, { shell }), DONE, said());
    assert.equal(readText(BUNDLE), agentBundle('1'));
    const code = 'export TART_KUBELET_CODE_CACHE=/var/lib/tart-userdata/.code';
    assert.equal(readText('/usr/local/bin/tart-kubelet'), `#!/bin/sh\n${code}\nexec ${RUNTIME} ${BUNDLE} "$@"\n`);
    assert.equal(await step('agent-bundle', call, { shell }), 'check 0', said());
  });

  test(`the kubeconfig is its user's alone, and written as it is, through ${shell}`, async (t) => {
    const { step, readText, mac, said } = await stageSteps(t);
    const kubeconfig = 'kind: Config\ntoken: $(x) `y` "z" \\n %s\n\n';
    assert.equal(await step('kubeconfig', { secrets: { kubeconfig } }, { shell }), DONE, said());
    assert.equal(readText(KUBECONFIG), kubeconfig);
    const { mode, uid } = mac.files.facts(KUBECONFIG) ?? {};
    assert.deepEqual({ mode, uid }, { mode: 0o600, uid: 501 });
    assert.equal(await step('kubeconfig', { secrets: { kubeconfig } }, { shell }), 'check 0', said());
    assert.equal(await step('kubeconfig', { secrets: {} }, { shell }), 'check 0', 'without one to compare with');
    const other = { secrets: { kubeconfig: 'kind: Config\n' } };
    assert.equal(await step('kubeconfig', other, { shell }), DONE, said());
  });
}

test('without a kubeconfig there is nothing to write', async (t) => {
  const { step, said } = await stageSteps(t);
  assert.equal(await step('kubeconfig', { secrets: {} }), 'check 1, apply 70');
  assert.match(said(), /no kubeconfig was given/);
});

test('a Tart that virtual machines were started from stays beside the new one until they are gone', async (t) => {
  const stage = await stageSteps(t);
  const install = (version: string): Promise<string> =>
    stage.step('tart', { inputs: { artefact_tart: stage.upload(tartArchive(version)) } });
  const old = async (): Promise<string> => (await stage.asRoot('ls /usr/local/lib | grep -c old-')).stdout;
  await install('2.30.0');
  await startMachine(t, stage);
  assert.equal(await install('2.31.0'), DONE, stage.said());
  assert.equal(await old(), '1\n');
  await stage.asRoot("pkill -f '^/usr/local/lib/tart.app/Contents/MacOS/tart run '");
  assert.equal(await install('2.32.0'), DONE, stage.said());
  assert.equal(await old(), '0\n');
});

interface BadFile {
  readonly step: string;
  readonly input: string;
  readonly good: string | Buffer;
  readonly bad: string | Buffer;
  /** What must not have changed. */
  readonly live: string;
}

const FILES: readonly BadFile[] = [
  { step: 'tart', input: 'artefact_tart', good: tartArchive('2.30.0'), bad: 'no archive', live: TART },
  {
    ...{ step: 'tart', input: 'artefact_tart', good: tartArchive('2.30.0') },
    ...{ bad: tartArchive('2.31.0', 'unsigned'), live: TART },
  },
  { step: 'agent-runtime', input: 'artefact_node', good: packedRuntime('v1'), bad: 'no archive', live: RUNTIME },
];

for (const { step: id, input, good, bad, live } of FILES) {
  test(`F37: what does not start is not put in the place of what did: ${id}, ${bad.length} bytes`, async (t) => {
    const { step, upload, mac, said } = await stageSteps(t);
    assert.equal(await step(id, { inputs: { [input]: upload(good) } }), DONE, said());
    const before = mac.files.facts(live);
    assert.match(await step(id, { inputs: { [input]: upload(bad) } }), /^check 1, apply 70$/);
    assert.deepEqual(mac.files.facts(live), before);
    assert.equal(await step(id, { inputs: { [input]: upload(good) } }), 'check 0, apply 0, verify 0', said());
  });
}

for (const [id, input] of [
  ['tart', 'artefact_tart'],
  ['agent-runtime', 'artefact_node'],
  ['agent-bundle', 'artefact_agent'],
] as const) {
  test(`F37: ${id} takes no file whose sum is another, and none that is not there`, async (t) => {
    const { step, upload, mac, said } = await stageSteps(t);
    const sum = upload('a whole file');
    mac.files.write(`${HOME}/.macfleet/artefacts/${sum}`, 'a who');
    assert.equal(await step(id, { inputs: { [input]: sum } }), 'check 1, apply 70');
    assert.match(said(), /is damaged/);
    mac.files.remove(`${HOME}/.macfleet/artefacts/${sum}`);
    assert.equal(await step(id, { inputs: { [input]: sum } }), 'check 1, apply 70');
    assert.match(said(), /was not uploaded/);
  });
}

test('F49: the original wrote over a program in place, and macOS killed it at its next start', async (t) => {
  const { step, upload, run, asRoot, mac, said } = await stageSteps(t);
  assert.equal(await step('agent-runtime', { inputs: { artefact_node: upload(packedRuntime('v1')) } }), DONE, said());
  assert.equal((await run(`${RUNTIME} -p 1`)).exitCode, 0);
  const next = upload(packedRuntime('v2'));
  await asRoot(`gzip -dc ${HOME}/.macfleet/artefacts/${next} | tee ${RUNTIME} >/dev/null`);
  assert.notEqual((await run(`${RUNTIME} -p 1`)).exitCode, 0);
  assert.ok(mac.model.signatures.killed().includes(RUNTIME));
  assert.equal(await step('agent-runtime', { inputs: { artefact_node: next } }), DONE, 'and ours repairs it');
  assert.equal((await run(`${RUNTIME} -p 1`)).exitCode, 0);
});

const runsWhateverComes = async (t: Parameters<typeof stageSteps>[0], files = STEP_FILES): Promise<void> => {
  const { step, upload, run, said } = await stageSteps(t);
  for (const runtime of [packedRuntime('v1', 'unsigned'), packedRuntime('v2', 'unsigned')]) {
    assert.equal(await step('agent-runtime', { inputs: { artefact_node: upload(runtime) } }, { files }), DONE, said());
    assert.equal((await run(`${RUNTIME} -p 1`)).exitCode, 0);
  }
};

test('004-4: an unsigned runtime starts, time and again', (t) => runsWhateverComes(t));

test('mutant M28: a new runtime is not signed: found', async (t) => {
  const files = mutate(
    'agent-runtime',
    'codesign --force --sign - "$1" && codesign --verify "$1" && "$1" --version &&',
    '',
  );
  await assert.rejects(runsWhateverComes(t, files), assert.AssertionError);
});

test('mutant M28: a new runtime is written over the old one: found', async (t) => {
  const files = mutate(
    'agent-runtime',
    'put_file $RUNTIME 755 root:wheel /bin/sh -c "$ACCEPT" sh',
    'root tee $RUNTIME >/dev/null',
  );
  await assert.rejects(runsWhateverComes(t, files), assert.AssertionError);
});

test('F57: addresses of virtual machines are leased for ten minutes', async (t) => {
  const { step, upload, asRoot } = await stageSteps(t);
  const call = { inputs: { artefact_tart: upload(tartArchive('2.30.0')) } };
  await step('tart', call);
  const sharing = '/Library/Preferences/SystemConfiguration/com.apple.InternetSharing.default';
  assert.match((await asRoot(`defaults read ${sharing} bootpd`)).stdout, /DHCPLeaseTimeSecs = 600;/);
  await asRoot(`defaults delete ${sharing} bootpd`);
  assert.equal(await step('tart', call), DONE);
});
