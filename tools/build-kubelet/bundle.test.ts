import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { bundleKubelet } from './bundle.ts';
import { checkBundle } from './check-bundle.ts';
import { readCode } from './code-cache.ts';
import { unfold } from './fold.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

describe('the bundle of the agent', () => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-bundle-'));
  const program = join(folder, 'tart-kubelet.mjs');
  before(async () => writeFileSync(program, (await bundleKubelet(PROJECT)).bytes));
  after(() => rmSync(folder, { recursive: true }));

  const tellVersion = (env: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [program, '--version'], { env: { ...process.env, ...env }, encoding: 'utf8' });
  const assertRuns = ({ status, stdout, stderr }: ReturnType<typeof tellVersion>): void => {
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, /^tart-kubelet-v\d+\.\d+\.\d+\n$/);
  };

  it('runs where nothing is kept, and has the same bytes wherever it is made', async () => {
    assertRuns(tellVersion());
    assert.deepEqual(readFileSync(program), Buffer.from((await bundleKubelet(PROJECT)).bytes));
  });

  it('may go to Macs: it is below 1 MB, and has nothing of the simulators and the controllers in it', async () => {
    const bundle = await bundleKubelet(PROJECT);
    checkBundle(bundle);
    const refused = { kind: 'bug', code: 'BadBundle' } as const;
    assert.throws(() => checkBundle({ ...bundle, bytes: Buffer.alloc(1_000_001) }), refused);
    for (const path of ['src/sim/tart/sim-vm.ts', 'src/runners/ports.ts', 'src/dispatch/port/wire.ts'])
      assert.throws(() => checkBundle({ ...bundle, inputs: [...bundle.inputs, path] }), refused);
  });

  it('runs from code that an earlier life made', () => {
    const path = join(folder, 'code');
    const env = { TART_KUBELET_CODE_CACHE: path };
    assertRuns(tellVersion({ ...env, TART_KUBELET_MAKES_CODE: 'yes' }));
    const source = unfold(readFileSync(program, 'latin1'));
    const cachedData = readCode(path, source);
    assert.ok(cachedData !== undefined && cachedData.length > 500_000, `${cachedData?.length} bytes were kept`);
    assert.equal(new Script(source, { filename: program, cachedData }).cachedDataRejected, false);
    assertRuns(tellVersion(env));
  });

  const rows = [
    { story: 'garbage', put: (path: string) => writeFileSync(path, 'x'.repeat(100_000)) },
    { story: 'a folder', put: (path: string) => void mkdirSync(path) },
    { story: 'nothing', put: () => undefined },
  ];
  for (const { story, put } of rows) {
    it(`runs where ${story} lies in the place of its code`, () => {
      const path = join(folder, story);
      put(path);
      assertRuns(tellVersion({ TART_KUBELET_CODE_CACHE: path }));
    });
  }

  it('says so when code that is made cannot be kept', () => {
    const path = join(folder, 'no-such-folder', 'code');
    const { stderr } = tellVersion({ TART_KUBELET_CODE_CACHE: path, TART_KUBELET_MAKES_CODE: 'yes' });
    assert.match(stderr, /ENOENT/);
    assert.equal(existsSync(path), false);
  });
});
