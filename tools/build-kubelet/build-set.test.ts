import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type BuiltFile, buildSet } from './build-set.ts';
import { readSignature } from './mach-o.ts';
import { renderProgram, TEST_ROOT } from './testing/signed-program.ts';
import { WRAPPER } from './wrapper.ts';

const STEP = join(import.meta.dirname, '..', '..', 'src', 'hosts', 'steps', 'agent-bundle.sh');

it('the command that starts the agent is the one that the step agent-bundle writes on Macs', () => {
  const step = readFileSync(STEP, 'utf8');
  const [writes] = /^BUNDLE=.*?^}/ms.exec(step) ?? [];
  assert.equal(execFileSync('/bin/sh', ['-c', `${writes}\nwrapper`], { encoding: 'utf8' }), WRAPPER);
});

describe('what is put on Macs', () => {
  const project = resolve(import.meta.dirname, '..', '..');
  const out = mkdtempSync(join(tmpdir(), 'macfleet-set-'));
  after(() => rmSync(out, { recursive: true }));
  const program = renderProgram();
  const readRuntime = async () => ({ version: '0.0.0', program, signature: readSignature(program, TEST_ROOT) });

  const lines: string[] = [];
  let built: readonly BuiltFile[] = [];
  before(async () => {
    const say = (line: string): void => void lines.push(line);
    built = await buildSet({ project, out, what: 'all', say, readRuntime });
  });

  it('is the agent, its command and the runtime, unchanged, with a sum of each that is told, as sha256sum -c reads them', () => {
    const names = ['tart-kubelet.mjs', 'tart-kubelet', 'node-darwin-arm64.gz'];
    assert.deepEqual(readdirSync(out).toSorted(), ['SHA256SUMS', ...names].toSorted());
    assert.deepEqual(gunzipSync(readFileSync(join(out, 'node-darwin-arm64.gz'))), program);
    assert.equal(readFileSync(join(out, 'tart-kubelet'), 'utf8'), WRAPPER);
    assert.equal(statSync(join(out, 'tart-kubelet')).mode & 0o777, 0o755);
    assert.match(
      execFileSync('node', [join(out, 'tart-kubelet.mjs'), '--version'], { encoding: 'utf8' }),
      /^tart-kubelet-v/,
    );
    const sums = names.map((name) => {
      const content = readFileSync(join(out, name));
      return { name, sizeBytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    });
    assert.deepEqual(built, sums);
    const rendered = sums.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
    assert.equal(readFileSync(join(out, 'SHA256SUMS'), 'utf8'), rendered);
    for (const { name, sha256, sizeBytes } of sums) assert.ok(lines.includes(`${sha256}  ${name}  ${sizeBytes} bytes`));
    assert.ok(lines.some((line) => /^Node 0\.0\.0, 4 pages as signed by Developer ID Application: /.test(line)));
  });
});
