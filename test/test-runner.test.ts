/** `npm test` itself: that it refuses, repeats, counts, and never calls a run good in which nothing ran. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** A repository with the real runner and tests of its own. */
let clone = '';

before(async () => {
  clone = await mkdtemp(join(tmpdir(), 'macfleet-runner-'));
  for (const part of [
    'bin',
    'src/base',
    'src/cli',
    'tools/test.ts',
    'tools/test',
    'tools/build-kubelet',
    'package.json',
  ]) {
    await cp(join(ROOT, part), join(clone, part), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  }
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  await mkdir(join(clone, 'test', 'hosts'), { recursive: true });
  const files = {
    'good.test.ts':
      "import { test } from 'node:test';\nfor (const name of 'abcdefgh') test(name, () => console.log(name));\n",
    'bad.test.ts': "import { test } from 'node:test';\ntest('fails', () => { throw new Error('on purpose'); });\n",
    'broken.test.ts': "import './gone.ts';\n",
    'empty.test.ts': 'export {};\n',
    'empty-group.test.ts': "import { describe } from 'node:test';\ndescribe('nothing', () => undefined);\n",
    'hosts/other-tier.test.ts': "throw new Error('belongs to another tier');\n",
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(clone, 'test', path), text);
});

after(() => rm(clone, { recursive: true, force: true }));

const npmTest = async (args: readonly string[], preload: readonly string[] = []) => {
  const { NODE_TEST_CONTEXT: _, ...outer } = process.env;
  // There is no agent to make a bundle of.
  const env = { ...outer, MACFLEET_KUBELET: 'none' };
  const command = [...preload, join(clone, 'tools/test.ts'), ...args];
  const outcome = await run(process.execPath, command, { env }).catch((error: unknown) => error);
  const { code = 0, stdout, stderr } = outcome as { code?: number; stdout: string; stderr: string };
  return { code, stdout, stderr };
};

describe('npm test', () => {
  test('prints seed and counts, and succeeds when all is well', async () => {
    const { code, stdout } = await npmTest(['good', '--seed', '7']);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^1 test files in random order, seed 7\n/);
    assert.match(stdout, /ℹ tests 8\n/);
    assert.match(stdout, /ℹ pass 8\nℹ fail 0\n/);
    assert.doesNotMatch(stdout, /to repeat/);
  });

  test('fails on a failing test, says which and why, and how to repeat the run', async () => {
    const { code, stdout } = await npmTest(['good', 'bad', '--seed', '7']);
    assert.equal(code, 1);
    assert.match(stdout, /✖ test\/bad\.test\.ts:2 fails\n {4}Error: on purpose\n/);
    assert.match(stdout, /ℹ fail 1\n/);
    assert.match(stdout, /\nto repeat: npm test -- --seed 7 good bad\n$/);
  });

  test('fails on a file that cannot be loaded, and shows what it printed', async () => {
    const { code, stdout } = await npmTest(['broken']);
    assert.equal(code, 1);
    assert.match(stdout, /✖ test\/broken\.test\.ts broke as a whole\n[\s\S]*Cannot find module/);
  });

  test('fails on a file without tests', async () => {
    const { code, stdout } = await npmTest(['good', 'empty']);
    assert.equal(code, 1);
    assert.match(stdout, /✖ test\/empty\.test\.ts has no test in it\n/);
    assert.match(stdout, /✖ test\/empty-group\.test\.ts has no test in it\n/);
  });

  test('fails when no test has the name', async () => {
    const { code, stdout } = await npmTest(['good', '--name', 'nothing like it']);
    assert.equal(code, 1);
    assert.match(stdout, /✖ no test ran\n/);
  });

  test('fails when no file has the path, and leaves other tiers alone', async () => {
    const { code, stderr } = await npmTest(['other-tier']);
    assert.equal(code, 2);
    assert.match(stderr, /no test file holds "other-tier"/);
  });

  test('refuses another Node in one line, even one that cannot read TypeScript', async () => {
    const pretend = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.1.0"}})';
    const { code, stdout, stderr } = await npmTest(
      [],
      ['--import', pretend, '--import', join(clone, 'bin/require-node.js')],
    );
    assert.equal(code, 69);
    assert.equal(stdout, '');
    assert.match(stderr, /^macfleet: needs Node 26, this is 20\.1\.0: [^\n]+\n$/);
  });
});

test('the version that is asked for is the one that is pinned', async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const guard = await readFile(join(ROOT, 'bin/require-node.js'), 'utf8');
  const majors = Object.values(manifest.optionalDependencies).map((version) => String(version).split('.')[0]);
  assert.deepEqual(new Set(majors), new Set([/WANTED_MAJOR = (\d+)/.exec(guard)?.[1]]));
});
