import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { STOCK_PF_CONF } from '../../../src/sim/mac/bash/fresh-disk.ts';
import type { StageOptions } from '../mac/stage.ts';
import { until } from '../sshd-stage.ts';
import { CONVERGED_PF_CONF, LEGACY_PF, type LegacyPf } from './legacy-pf.ts';
import { mutate, type StepsStage, stageSteps } from './steps-stage.ts';

const SCOPES = ['tuist.runners', 'com.apple/tuist.runners'];
const RULES = ['in', 'out'].flatMap((way) => [
  `block drop ${way} quick from <vm_sources> to <blocked_dst>`,
  `block drop ${way} quick from <vm_sources> to 169.254.169.254`,
]);

const stageLegacy = async (
  t: TestContext,
  { pfConf, files = {}, commands = [] }: LegacyPf,
  options: StageOptions = {},
): Promise<StepsStage> => {
  const stage = await stageSteps(t, options);
  for (const [path, text] of Object.entries({ ...files, '/etc/pf.conf': pfConf })) stage.mac.files.write(path, text);
  for (const command of commands) {
    const { exitCode, stderr } = await stage.asRoot(command);
    assert.equal(exitCode, 0, `${command}: ${stderr}`);
  }
  return stage;
};

const rulesIn = async ({ asRoot }: StepsStage, scope: string): Promise<readonly string[]> =>
  (await asRoot(`pfctl -a ${scope} -sr`)).stdout.trimEnd().split('\n');

const assertProtected = async (stage: StepsStage): Promise<void> => {
  assert.equal(stage.readText('/etc/pf.conf'), CONVERGED_PF_CONF);
  for (const scope of SCOPES) assert.deepEqual(await rulesIn(stage, scope), RULES, scope);
  const { stdout } = await stage.asRoot('pfctl -sr; pfctl -s info; pfctl -t vm_sources -T show');
  assert.match(stdout, /^anchor "com\.apple\/\*" all$/m);
  assert.match(stdout, /Status: Enabled/);
};

for (const legacy of LEGACY_PF) {
  test(`001-1, 003-1, T-81, S20: the firewall converges from ${legacy.story}, through bash and zsh`, async (t) => {
    const stage = await stageLegacy(t, legacy);
    if (legacy.story.startsWith('I-22')) await until('the job ran', () => stage.mac.model.pf.fullLoads() > 0);
    const loadsBefore = stage.mac.model.pf.fullLoads();
    assert.equal(await stage.step('firewall', {}, { shell: 'zsh' }), 'check 1, apply 0, verify 0', stage.said());
    await assertProtected(stage);
    assert.equal(await stage.step('firewall', {}, { shell: 'bash' }), 'check 0', stage.said());
    assert.equal(await stage.step('firewall', { digest: 'd2' }), 'check 0, apply 0, verify 0', stage.said());
    await assertProtected(stage);
    assert.equal(stage.mac.model.pf.fullLoads(), loadsBefore, 'I-22: nothing is reloaded as a whole');
  });
}

test('003-1: the block counts from the next boot on, with what macOS has of its own', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  const apple = await rulesIn(stage, 'com.apple/internet-sharing');
  await stage.step('firewall');
  assert.deepEqual(await rulesIn(stage, 'com.apple/internet-sharing'), apple, "Apple's rules are untouched");
  await stage.reboot();
  assert.deepEqual(await rulesIn(stage, 'tuist.runners'), RULES);
  assert.match((await stage.asRoot('pfctl -sr')).stdout, /^anchor "tuist\.runners" all$/m);
});

test('W-18: rules that nobody evaluates are found out', async (t) => {
  // The job that puts them back runs every minute of the Mac: a minute that is longer than the look.
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF }, { timeScale: 1 });
  await stage.step('firewall');
  await stage.asRoot('pfctl -a com.apple/tuist.runners -F rules');
  assert.equal(await stage.step('firewall', { do: 'check' }), 'check 1');
  assert.match(stage.said(), /com\.apple\/tuist\.runners/);
  await stage.step('firewall');
  await stage.asRoot('pfctl -d');
  assert.equal(await stage.step('firewall', { do: 'check' }), 'check 1');
  assert.match(stage.said(), /pf is off/);
});

test('rules that got lost are put back by the job, without a look at any other', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  await stage.step('firewall');
  await stage.asRoot('pfctl -a com.apple/tuist.runners -F rules; pfctl -d; /usr/local/bin/tuist-pf-runners');
  assert.equal(await stage.step('firewall', { do: 'check' }), 'check 0', stage.said());
  assert.equal(stage.mac.model.pf.fullLoads(), 0);
});

test('openings for services, DNS and the private network stand before the blocks', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  const inputs = { serviceCidr: '10.96.0.0/12', clusterDns: '10.96.0.10', privateNetworkCidr: '172.16.4.0/22' };
  assert.equal(await stage.step('firewall', { inputs }), 'check 1, apply 0, verify 0', stage.said());
  const rules = await rulesIn(stage, 'com.apple/tuist.runners');
  assert.deepEqual(rules.slice(0, 5), [
    'pass in quick proto tcp from <vm_sources> to 10.96.0.0/12 port 4000',
    'pass in quick proto tcp from <vm_sources> to 10.96.0.10 port 53',
    'pass in quick proto udp from <vm_sources> to 10.96.0.10 port 53',
    'pass in quick proto tcp from <vm_sources> to 172.16.4.0/22 port 30000:32767',
    RULES[0],
  ]);
});

const BAD_INPUTS: readonly { readonly story: string; readonly inputs: Readonly<Record<string, string>> }[] = [
  { story: 'a name', inputs: { serviceCidr: 'cluster.local' } },
  { story: 'an address of more than 255', inputs: { privateNetworkCidr: '10.0.256.0/8' } },
  { story: 'a rule in disguise', inputs: { serviceCidr: '10.0.0.0/8 port 1\npass quick all' } },
  { story: 'DNS without services', inputs: { clusterDns: '10.96.0.10' } },
  { story: 'IPv6', inputs: { serviceCidr: 'fd00::/8' } },
];

for (const { story, inputs } of BAD_INPUTS) {
  test(`an opening that is ${story} writes no rule at all`, async (t) => {
    const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
    assert.equal(await stage.step('firewall', { inputs }), 'check 70');
    assert.equal(stage.readText('/etc/pf.conf'), STOCK_PF_CONF);
    assert.equal(stage.readText('/etc/pf.anchors/tuist.runners'), '');
  });
}

test('W-34: virtual machines that live elsewhere are no firewall to be content with', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  await stage.step('firewall');
  const vmnet = '/Library/Preferences/SystemConfiguration/com.apple.vmnet';
  await stage.asRoot(`defaults write ${vmnet} Shared_Net_Address 192.168.65.1`);
  assert.equal(await stage.step('firewall', { do: 'check' }), 'check 0', stage.said());
  await stage.asRoot(`defaults write ${vmnet} Shared_Net_Address 10.7.0.1`);
  assert.equal(await stage.step('firewall', { do: 'check' }), 'check 70');
  assert.match(stage.said(), /10\.7\.0\.1/);
});

test('rules that are there in part are not there', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  await stage.step('firewall');
  const half = 'table <vm_sources> { 192.168.64.0/22 }\ntable <blocked_dst> { 10.0.0.0/8 }\n';
  for (const rules of [`${half}${RULES[0]}\n`, `${half}${RULES.join('\n')}\n`]) {
    await stage.asRoot(`printf '%s' '${rules}' | pfctl -a com.apple/tuist.runners -f -`);
    assert.equal(await stage.step('firewall', { do: 'check' }), 'check 1', stage.said());
  }
});

test('a pf.conf that cannot be read is not replaced by one that holds our block alone', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  stage.mac.files.remove('/etc/pf.conf');
  assert.equal(await stage.step('firewall'), 'check 1, apply 70');
  assert.match(stage.said(), /cannot read \/etc\/pf\.conf/);
  assert.equal(stage.mac.files.read('/etc/pf.conf'), undefined);
});

test('a pf.conf that pf would not take is not written', async (t) => {
  const broken = `${STOCK_PF_CONF}pass from\n`;
  const stage = await stageLegacy(t, { story: '', pfConf: broken });
  assert.equal(await stage.step('firewall'), 'check 1, apply 70');
  assert.equal(stage.readText('/etc/pf.conf'), broken);
  assert.match(stage.said(), /left as it is/);
});

const everywhere = LEGACY_PF.find(({ story }) => story.includes('everywhere'));
const twice = LEGACY_PF.find(({ story }) => story.startsWith('I-31'));
assert.ok(everywhere !== undefined && twice !== undefined);

test('F46: the original of before May could not load its rules over tables that stayed', async (t) => {
  const { asRoot } = await stageLegacy(t, everywhere);
  const { exitCode, stderr } = await asRoot('pfctl -F all; pfctl -a tuist.runners -F all; pfctl -f /etc/pf.conf');
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /Resource busy/);
});

test('I-22: the original of May reloaded everything, which fails on a Mac in use', async (t) => {
  const stage = await stageLegacy(t, { story: '', pfConf: STOCK_PF_CONF });
  await stage.step('firewall');
  const { exitCode, stderr } = await stage.asRoot('pfctl -f /etc/pf.conf');
  assert.notEqual(exitCode, 0);
  assert.match(stderr, /Resource busy/);
});

test('I-31: the original of May loses all rules at the next boot over a block that is there twice', async (t) => {
  const stage = await stageLegacy(t, {
    ...twice,
    files: { '/etc/pf.anchors/tuist.runners': 'table <vm_sources> { 192.168.64.0/22 }\n' },
  });
  await stage.reboot();
  assert.doesNotMatch((await stage.asRoot('pfctl -sr')).stdout, /com\.apple/);
});

interface Mutant {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly legacy: LegacyPf;
}

const MUTANTS: readonly Mutant[] = [
  {
    name: 'M9: tables are killed in the anchor only',
    ...{ from: '    pf -t "$table" -T kill\n', to: '', legacy: everywhere },
  },
  {
    name: 'M9: tables are killed in the main rules only',
    ...{ from: '    pf -a "$1" -t "$table" -T kill\n', to: '', legacy: everywhere },
  },
  {
    name: 'M19: the block is appended unless a line of ours is found',
    from: 'root cat /etc/pf.conf | awk',
    to: 'root grep -q tuist.runners /etc/pf.conf && { root cat /etc/pf.conf; return; }; root cat /etc/pf.conf | awk',
    legacy: twice,
  },
  {
    name: 'M20: only marked blocks are removed',
    ...{ from: 'line !~ ours && line !~ /^[ \\t]*#.*[Tt]uist/', to: '1', legacy: twice },
  },
  {
    name: 'S20: the rules are loaded where nobody looks',
    ...{ from: "SCOPES='tuist.runners com.apple/tuist.runners'", to: "SCOPES='tuist.runners'" },
    legacy: { story: '', pfConf: STOCK_PF_CONF },
  },
  {
    name: 'S20: all of pf.conf is loaded',
    ...{ from: 'pf -a "$1" -f $ANCHOR', to: 'pf -f /etc/pf.conf', legacy: everywhere },
  },
];

for (const { name, from, to, legacy } of MUTANTS) {
  test(`mutant ${name}: found`, async (t) => {
    const stage = await stageLegacy(t, legacy);
    const ended = await stage.step('firewall', {}, { files: mutate('firewall', from, to) });
    assert.match(ended, /^check 1, apply/);
    if (!ended.endsWith('verify 0')) return;
    await assert.rejects(assertProtected(stage), assert.AssertionError);
  });
}
