/**
 * What is known of the real Tart (read from the sources of 2.32.1 and 2.35.0) holds for the simulated one, in both its forms:
 * words, exit codes, texts and quirks.
 */
import assert from 'node:assert/strict';
import { createLimiter } from '../../base/limiter.ts';
import { type TartEnd, type TartForm, testOnBothForms } from './testing/tart-forms.ts';

const IMAGE = 'ghcr.io/org/image:1';
const DIGEST = `sha256:${'a'.repeat(64)}`;

interface Fact {
  readonly words: readonly string[];
  readonly code: number;
  readonly stdout?: RegExp | string;
  readonly stderr?: RegExp | string;
}

const check = ({ words, ...fact }: Fact, end: TartEnd): void => {
  const story = `tart ${words.join(' ')}`;
  assert.equal(end.code, fact.code, `${story}: ${end.stderr}`);
  for (const stream of ['stdout', 'stderr'] as const) {
    const expected = fact[stream] ?? '';
    if (typeof expected === 'string') assert.equal(end[stream], expected, `${story}: ${stream}`);
    else assert.match(end[stream], expected, `${story}: ${stream}`);
  }
};

const USAGE = /^Error: .*\nUsage: tart .*\n {2}See 'tart \w+ --help' for more information\.\n$/;
const MISSING = 'the specified VM "nope" does not exist\n';

/** On a home with one image and one stopped VM `a` cloned from it. */
const FACTS: readonly Fact[] = [
  { words: ['--version'], code: 0, stdout: '2.32.1\n' },
  { words: ['get', 'nope'], code: 2, stderr: MISSING },
  { words: ['delete', 'nope'], code: 2, stderr: MISSING },
  { words: ['stop', 'nope'], code: 2, stderr: MISSING },
  { words: ['clone', 'nope', 'b'], code: 2, stderr: MISSING },
  { words: ['set', 'nope', '--cpu', '4'], code: 2, stderr: MISSING },
  // Run looks for its VM while it checks its words, and so gets another code and a prefix.
  { words: ['run', 'nope'], code: 1, stderr: `Error: ${MISSING}` },
  { words: ['stop', 'a'], code: 2, stderr: 'VM "a" is not running\n' },
  { words: ['suspend', 'a'], code: 2, stderr: 'VM "VM "a" is not running" is not running\n' },
  { words: ['exec', 'a', 'true'], code: 2, stderr: 'VM "a" is not running\n' },
  { words: ['ip', 'a'], code: 1, stderr: 'no IP address found, is your VM running?\n' },
  { words: ['clone', 'a', 'b/c'], code: 64, stderr: USAGE },
  { words: ['clone', 'a'], code: 64, stderr: USAGE },
  { words: ['clone', 'a', 'b', '--concurrency', '0'], code: 64, stderr: USAGE },
  { words: ['list', '--source', 'moon'], code: 64, stderr: /^Error: 'moon' is not a valid <source>\n/ },
  { words: ['run', 'a', '--graphics', '--no-graphics'], code: 64, stderr: /are mutually exclusive\n/ },
  { words: ['run', 'a', '--vnc', '--vnc-experimental'], code: 64, stderr: /are mutually exclusive\n/ },
  { words: ['run', 'a', '--nested'], code: 1, stderr: 'macOS virtual machines do not support nested virtualization\n' },
  { words: ['run', 'a', '--what'], code: 64, stderr: USAGE },
  {
    words: ['set', 'a', '--cpu', '1'],
    code: 1,
    stderr: 'Error: LessThanMinimalResourcesError: VM should have 2 CPU cores at minimum (requested 1)\n',
  },
  {
    words: ['set', 'a', '--disk-size', '40'],
    code: 1,
    stderr: 'new disk size of 40 GB should be larger than the current disk size of 50 GB\n',
  },
  { words: ['rename', 'nope', 'b'], code: 64, stderr: /failed to rename a non-existent local VM: nope\n/ },
  { words: ['pull', 'a'], code: 0, stdout: '"a" is a local image, nothing to pull here!\n' },
  { words: ['pull', 'bad/'], code: 1, stderr: /^failed to parse remote name: / },
  {
    words: ['pull', 'ghcr.io/org/none:1'],
    code: 1,
    stdout: 'pulling ghcr.io/org/none:1...\npulling manifest...\n',
    stderr: /^Error: UnexpectedHTTPStatusCode\(when: "pulling manifest", code: 404, details: ".*"\)\n$/,
  },
  { words: ['pull', IMAGE], code: 0, stdout: /ghcr\.io\/org\/image@sha256:a+ image is already cached and linked!\n$/ },
  {
    words: ['pull', `ghcr.io/org/image@${DIGEST}`],
    code: 0,
    stdout: /image is already cached and linked!\n$/,
  },
  { words: ['create', 'new'], code: 64, stderr: /Please specify either a --from-ipsw or --linux option!\n/ },
  { words: ['prune'], code: 64, stderr: /at least one pruning criteria must be specified\n/ },
  { words: ['prune', '--entries', 'all'], code: 64, stderr: /unsupported --entries value, / },
  {
    words: ['login', 'ghcr.io', '--username', 'u'],
    code: 64,
    stderr: /both --username and --password-stdin are required\n/,
  },
  {
    words: ['push', 'a', 'ghcr.io/org/new:1'],
    code: 0,
    stdout:
      /^pushing a to ghcr\.io\/org\/new:1\.\.\.\npushing config\.\.\.\n[\s\S]*pushing manifest for ghcr\.io\/org\/new:1\.\.\.\n$/,
  },
  { words: ['fqn', IMAGE], code: 0, stdout: `ghcr.io/org/image@${DIGEST}\n` },
  { words: ['fqn', 'a'], code: 0, stdout: 'a\n' },
  { words: ['list', '--quiet', '--source', 'local'], code: 0, stdout: 'a\n' },
  { words: ['list', '--quiet', '--source', 'oci'], code: 0, stdout: `${IMAGE}\nghcr.io/org/image@${DIGEST}\n` },
];

const prepare = async ({ tart, configure }: TartForm): Promise<void> => {
  configure({ images: { [IMAGE]: { digest: DIGEST } } });
  const pulled = await tart('pull', IMAGE);
  const lines = [
    ...[`pulling ${IMAGE}...`, 'pulling manifest...', 'pulling disk (25.1 GB compressed)...'],
    ...['0%', '100%', 'pulling NVRAM...', ''],
  ];
  assert.deepEqual(pulled, { code: 0, stdout: lines.join('\n'), stderr: '' });
  assert.deepEqual(await tart('clone', IMAGE, 'a'), { code: 0, stdout: '', stderr: '' });
};

testOnBothForms('every fact about words, codes and texts holds', async (form) => {
  await prepare(form);
  const fewAtOnce = createLimiter(4);
  const { signal } = new AbortController();
  const ends = await Promise.all(FACTS.map(({ words }) => fewAtOnce.run(() => form.tart(...words), signal)));
  for (const [at, fact] of FACTS.entries()) {
    const end = ends[at];
    assert.ok(end);
    check(fact, end);
  }
});

testOnBothForms('list and get print JSON as Foundation does, with sizes of different types', async (form) => {
  assert.equal((await form.tart('list', '--format', 'json')).stdout, '[\n\n]\n');
  await prepare(form);
  const { stdout } = await form.tart('list', '--format', 'json');
  assert.match(stdout, /"Name" : "ghcr\.io\\\/org\\\/image:1"/);
  assert.deepEqual(
    JSON.parse(stdout).map((row: { Name: string; Size: unknown }) => [row.Name, row.Size]),
    [
      ['a', 40],
      [IMAGE, 40],
      [`ghcr.io/org/image@${DIGEST}`, 40],
    ],
  );
  assert.equal(JSON.parse((await form.tart('get', 'a', '--format', 'json')).stdout).Size, '40.000');
});

testOnBothForms(
  'a VM that runs is refused what only a stopped one may have, and answers after its end',
  async (form) => {
    await prepare(form);
    const { tart } = form;
    const run = tart('run', 'a', '--no-graphics');
    assert.match((await tart('ip', 'a', '--wait', '30')).stdout, /^192\.168\.64\.\d+\n$/);
    check({ words: ['run', 'a'], code: 2, stderr: 'VM "a" is already running!\n' }, await tart('run', 'a'));
    check({ words: ['delete', 'a'], code: 1, stderr: 'VM "a" is running\n' }, await tart('delete', 'a'));
    check({ words: ['exec'], code: 3, stdout: 'hi\n' }, await tart('exec', 'a', '/bin/sh', '-c', 'echo hi; exit 3'));
    check({ words: ['stop', 'a'], code: 0 }, await tart('stop', 'a'));
    check({ words: ['run', 'a'], code: 0, stdout: 'Stopping VM...\n' }, await run);
    // The lease outlives the VM.
    assert.equal((await tart('ip', 'a')).code, 0);
  },
);

testOnBothForms(
  'a third macOS VM is refused and names the others; a leaked slot counts without a name',
  async (form) => {
    await prepare(form);
    const { tart, configure } = form;
    for (const vm of ['b', 'c']) await tart('clone', 'a', vm);
    const runs = [tart('run', 'a', '--no-graphics'), tart('run', 'b', '--no-graphics')];
    for (const vm of ['a', 'b']) await tart('ip', vm, '--wait', '30');
    const third = await tart('run', 'c', '--no-graphics');
    const limit = 'The number of VMs exceeds the system limit';
    check({ words: ['run', 'c'], code: 1, stderr: `${limit} (other running VMs: a, b)\n` }, third);
    for (const vm of ['a', 'b']) await tart('stop', vm);
    await Promise.all(runs);
    configure({ leakedSlots: 2 });
    check({ words: ['run', 'c'], code: 1, stderr: `${limit}\n` }, await tart('run', 'c'));
  },
);

testOnBothForms('two VMs that start at the same moment get an address each, and both are known', async (form) => {
  await prepare(form);
  const { tart } = form;
  await tart('clone', 'a', 'b');
  const runs = ['a', 'b'].map((vm) => tart('run', vm, '--no-graphics'));
  const [one, other] = await Promise.all(['a', 'b'].map((vm) => tart('ip', vm, '--wait', '30')));
  assert.deepEqual([one?.code, other?.code], [0, 0]);
  assert.notEqual(one?.stdout, other?.stdout);
  for (const vm of ['a', 'b']) await tart('stop', vm);
  await Promise.all(runs);
});

testOnBothForms('a guest that ends, panics or is told to shut down ends its run with code 0', async (form) => {
  await prepare(form);
  const { tart, configure } = form;
  const stopped = 'guest has stopped the virtual machine';
  const run = tart('run', 'a', '--no-graphics');
  await tart('ip', 'a', '--wait', '30');
  await tart('exec', 'a', 'sudo', '/sbin/shutdown', '-h', 'now');
  check({ words: ['run', 'a'], code: 0, stdout: `${stopped}\n` }, await run);
  configure({ vmFaults: { a: { panicAfterMs: 100 } } });
  const error = `${stopped} due to error: Internal Virtualization error.\n`;
  check({ words: ['run', 'a'], code: 0, stdout: error }, await tart('run', 'a', '--no-graphics'));
});

testOnBothForms('what is set is the clone’s own, and a clone replaces what is there', async (form) => {
  await prepare(form);
  const { tart } = form;
  check({ words: ['clone'], code: 0 }, await tart('clone', 'a', 'b'));
  check({ words: ['set'], code: 0 }, await tart('set', 'b', '--cpu', '6', '--memory', '16384', '--random-serial'));
  const cpus = async (vm: string): Promise<number> =>
    JSON.parse((await tart('get', vm, '--format', 'json')).stdout).CPU;
  assert.equal(await cpus('b'), 6);
  check({ words: ['clone'], code: 0 }, await tart('clone', 'a', 'b'));
  assert.equal(await cpus('b'), 4);
});

testOnBothForms('a tag that moves leaves the old image under its digest, and goes with its last name', async (form) => {
  await prepare(form);
  const { tart, configure } = form;
  const other = `sha256:${'b'.repeat(64)}`;
  configure({ images: { [IMAGE]: { digest: other } } });
  await tart('pull', IMAGE);
  const names = async (): Promise<string> => (await tart('list', '--quiet', '--source', 'oci')).stdout;
  assert.equal(await names(), `${IMAGE}\nghcr.io/org/image@${DIGEST}\nghcr.io/org/image@${other}\n`);
  await tart('delete', IMAGE);
  assert.equal(await names(), `ghcr.io/org/image@${DIGEST}\n`);
});

testOnBothForms('pruning keeps what fits and spares no VM but those that run', async (form) => {
  await prepare(form);
  const { tart } = form;
  await tart('create', 'linux', '--linux');
  const run = tart('run', 'linux', '--no-graphics');
  await tart('ip', 'linux', '--wait', '30');
  await tart('prune', '--space-budget', '10');
  await tart('prune', '--entries', 'vms', '--space-budget', '0');
  assert.equal((await tart('list', '--quiet')).stdout, 'linux\n');
  await tart('stop', 'linux');
  await run;
});
