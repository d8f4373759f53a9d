import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { STEP_FILES, stageSteps } from './steps-stage.ts';

/** As libplist understands it: read, turned into the binary form, and back. */
const readByLibplist = (text: string): string => {
  const binary = execFileSync('plistutil', ['-f', 'bin'], { input: text });
  return execFileSync('plistutil', ['-f', 'xml'], { input: binary, encoding: 'utf8' });
};

const argumentsIn = (plist: string): readonly string[] => {
  const [, list = ''] = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(readByLibplist(plist)) ?? [];
  return [...list.matchAll(/<string>(.*)<\/string>/g)].map(([, word = '']) => asPlain(word));
};

const asPlain = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** What the function `plist` of a step prints, on a Mac. */
const PRINT = { ...STEP_FILES.steps };
const printPlist = (id: string): string => `${PRINT[id] ?? ''}\ncheck() { plist; }\n`;

interface Row {
  readonly story: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly expected: readonly string[];
}

const FIXED = ['/usr/local/bin/tart-kubelet', '--node-name=n', '--kubeconfig=/etc/tart-kubelet/kubeconfig'];
const SIZES = ['--host-cpu=8', '--host-memory-mb=16384', '--max-pods=3'];

const ROWS: readonly Row[] = [
  { story: 'nothing but a name', inputs: {}, expected: [...FIXED, ...SIZES] },
  {
    story: 'zeros, which mean the usual',
    inputs: { hostCpu: '0', hostMemoryMb: '0', maxPods: '0' },
    expected: [...FIXED, ...SIZES],
  },
  {
    story: 'sizes of its own',
    inputs: { hostCpu: '12', hostMemoryMb: '65536', maxPods: '2' },
    expected: [...FIXED, '--host-cpu=12', '--host-memory-mb=65536', '--max-pods=2'],
  },
  {
    story: 'labels, sorted, with the fleet among them',
    inputs: { nodeLabels: 'z=1,a/b=2', fleet: 'macs' },
    expected: [...FIXED, ...SIZES, '--node-labels=a/b=2,tuist.dev/fleet=macs,z=1'],
  },
  {
    story: 'a provider id',
    inputs: { providerId: 'scw://z/1' },
    expected: [...FIXED, ...SIZES, '--provider-id=scw://z/1'],
  },
  { story: 'a builder', inputs: { disableVmGc: 'yes' }, expected: [...FIXED, ...SIZES, '--disable-vm-gc'] },
  {
    story: 'a relay for screens',
    inputs: { vncRelayHost: 'relay.example', vncRelayPort: '5900' },
    expected: [...FIXED, ...SIZES, '--vnc-relay-host=relay.example', '--vnc-relay-port=5900'],
  },
  {
    story: 'characters that XML knows',
    inputs: { providerId: '<a&b>"c\'' },
    expected: [...FIXED, ...SIZES, '--provider-id=<a&b>"c\''],
  },
];

test("T-75: the agent's plist, as another program reads it, has", async (t) => {
  const { step, said } = await stageSteps(t);
  const files = { ...STEP_FILES, steps: { ...STEP_FILES.steps, agent: printPlist('agent') } };
  for (const { story, inputs, expected } of ROWS) {
    await t.test(story, async () => {
      assert.equal(await step('agent', { do: 'check', inputs: { nodeName: 'n', ...inputs } }, { files }), 'check 0');
      assert.deepEqual(argumentsIn(said()), expected);
      const plist = readByLibplist(said());
      for (const [key, value] of [
        ['Label', '<string>dev.tuist.tart-kubelet</string>'],
        ['UserName', '<string>m1</string>'],
        ['KeepAlive', '<true/>'],
        ['RunAtLoad', '<true/>'],
        ['ThrottleInterval', '<integer>10</integer>'],
        ['StandardErrorPath', '<string>/var/log/tart-kubelet.log</string>'],
        ['HOME', '<string>/Users/m1</string>'],
      ])
        assert.match(plist, new RegExp(`<key>${key}</key>\\s*${value}`));
    });
  }
});

for (const [id, program] of [
  ['firewall', '/usr/local/bin/tuist-pf-runners'],
  ['ssh-watchdog', '/usr/local/bin/tuist-ssh-reachability'],
] as const) {
  test(`the plist of ${id} is one for another program too`, async (t) => {
    const { step, said } = await stageSteps(t);
    const files = { ...STEP_FILES, steps: { ...STEP_FILES.steps, [id]: printPlist(id) } };
    assert.equal(await step(id, { do: 'check' }, { files }), 'check 0');
    assert.deepEqual(argumentsIn(said()), [program]);
  });
}
