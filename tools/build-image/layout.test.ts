import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ARCHITECTURES } from './architectures.ts';
import { makeLayer, packImage } from './layout.ts';
import { packTree, treeOf } from './tree.ts';

const LABELS = { version: '1.2.3', description: 'a test', license: 'Apache-2.0' };

describe('a packed tree', () => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-tree-'));
  after(() => rmSync(folder, { recursive: true }));
  const tree = treeOf({ 'b/program': { content: Buffer.from('x'), mode: 0o755 }, 'a/text': 'hello' }, { tmp: 0o1777 });

  it('is read by tar as it was meant: of root, from the beginning of time', () => {
    const path = join(folder, 'tree.tar');
    writeFileSync(path, packTree(tree));
    const listed = execFileSync('tar', ['--utc', '--numeric-owner', '-tvf', path], { encoding: 'utf8' });
    assert.deepEqual(
      listed
        .trim()
        .split('\n')
        .map((line) => line.replace(/ +/g, ' ')),
      [
        'drwxr-xr-x 0/0 0 1970-01-01 00:00 a/',
        '-rw-r--r-- 0/0 5 1970-01-01 00:00 a/text',
        'drwxr-xr-x 0/0 0 1970-01-01 00:00 b/',
        '-rwxr-xr-x 0/0 1 1970-01-01 00:00 b/program',
        'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
      ],
    );
    assert.equal(execFileSync('tar', ['-xOf', path, 'a/text'], { encoding: 'utf8' }), 'hello');
  });

  it('is the same in whatever order it was made', () => {
    const other = treeOf(
      { 'a/text': 'hello', 'b/program': { content: Buffer.from('x'), mode: 0o755 } },
      { tmp: 0o1777 },
    );
    assert.deepEqual(packTree(other), packTree(tree));
  });

  it('refuses a path that its format would cut', () => {
    assert.throws(() => packTree(treeOf({ ['x'.repeat(101)]: '' })), /too long/);
  });
});

describe('an image', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-layout-'));
  after(() => rmSync(folder, { recursive: true }));
  const build = async (project: string): Promise<Buffer> => {
    const layers = [await makeLayer(project, treeOf({ 'a/text': 'hello' }))];
    return packImage(
      ARCHITECTURES.map((architecture) => ({ architecture, layers })),
      LABELS,
    );
  };
  const unpack = async () => {
    const path = join(folder, 'image.tar');
    writeFileSync(path, await build(folder));
    execFileSync('tar', ['-xf', path, '-C', folder]);
    const blob = (digest: string): Buffer => {
      const content = readFileSync(join(folder, 'blobs', digest.replace(':', '/')));
      assert.equal(`sha256:${createHash('sha256').update(content).digest('hex')}`, digest);
      return content;
    };
    return { index: JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')), blob };
  };

  it('has one entry, under its version, for both processors, and every digest is that of its content', async () => {
    const { index, blob } = await unpack();
    const [only] = index.manifests;
    assert.equal(only.annotations['org.opencontainers.image.ref.name'], '1.2.3');
    const { manifests } = JSON.parse(blob(only.digest).toString());
    assert.deepEqual(
      manifests.map(({ platform }: { readonly platform: object }) => platform),
      [
        { architecture: 'amd64', os: 'linux' },
        { architecture: 'arm64', os: 'linux' },
      ],
    );
    for (const { digest, size } of manifests) {
      const manifest = blob(digest);
      assert.equal(manifest.length, size);
      const { config, layers } = JSON.parse(manifest.toString());
      const { config: how, rootfs } = JSON.parse(blob(config.digest).toString());
      assert.equal(how.User, '65532:65532');
      assert.equal(how.Labels['org.opencontainers.image.version'], '1.2.3');
      const sums = layers.map((layer: { readonly digest: string }) =>
        createHash('sha256')
          .update(gunzipSync(blob(layer.digest)))
          .digest('hex'),
      );
      assert.deepEqual(
        rootfs.diff_ids,
        sums.map((sum: string) => `sha256:${sum}`),
      );
    }
  });

  it('is the same bytes from another folder that remembers nothing', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'macfleet-layout-'));
    try {
      assert.deepEqual(await build(elsewhere), await build(folder));
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });
});
