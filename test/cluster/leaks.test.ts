/** gitleaks, with all rules of its own and ours for Scaleway's keys: it finds what was planted, and nothing in the repository. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readTree } from '../../tools/tidy/read-tree.ts';
import { findLeaks } from './bench/gitleaks.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Put together from pieces, so that this file holds none. */
const glue = (...pieces: readonly string[]): string => pieces.join('');
const UUID = glue('6f1e2d3c-4b5a-4978', '-8695-a4b3c2d1e0f9');
const keyWords = (which: string): string => glue(`-----${which} PRIV`, 'ATE KEY-----');

const PLANTED: readonly { readonly story: string; readonly text: string; readonly rule: string | undefined }[] = [
  { story: 'an access key', text: glue('key: SCW', '7K2M9QXW4T8ZB3VNC'), rule: 'scaleway-access-key' },
  { story: 'one that is made up', text: 'key: SCWSIMULATED00000001', rule: undefined },
  {
    story: 'a secret key in a shell',
    text: glue('export SCW_SECRET_', `KEY=${UUID}`),
    rule: 'scaleway-secret-key',
  },
  { story: 'a secret key in YAML', text: glue('secret-', `key: "${UUID}"`), rule: 'scaleway-secret-key' },
  {
    story: 'a secret key in a line of a log',
    text: glue('{"level":"info","secret', `Key":"${UUID}"}`),
    rule: 'scaleway-secret-key',
  },
  { story: 'the id of a project', text: `project-id: ${UUID}`, rule: undefined },
  {
    story: 'a token of GitHub, by a rule that is not ours',
    text: glue('gh', `p_${'a1B2c3D4e5F6'.repeat(3)}`),
    rule: 'github-pat',
  },
  {
    story: 'a private key, by a rule that is not ours',
    text: glue(`${keyWords('BEGIN')}\n`, 'MC4CAQAwBQYDK2VwBCIEIKj3'.repeat(5), `\n${keyWords('END')}`),
    rule: 'private-key',
  },
  {
    story: 'the words around one in a program that reads them',
    text: `/^${keyWords('BEGIN')}(?:\\r\\n|\\n)([\\s\\S]+){1,}; const anything = (text) => text; ${keyWords('END')}/`,
    rule: undefined,
  },
];

describe('gitleaks', { timeout: 200_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-leaks-test-'));
  after(() => rmSync(dir, { recursive: true }));

  it('finds what was planted, by its rule, and leaves the rest alone', async () => {
    const planted = join(dir, 'planted');
    mkdirSync(planted);
    for (const [at, { text }] of PLANTED.entries()) writeFileSync(join(planted, `${at}.txt`), `a line\n${text}\n`);
    const { found } = await findLeaks(planted);
    const wanted = PLANTED.flatMap(({ rule }, at) => (rule === undefined ? [] : [`${rule} ${at}.txt:2`]));
    assert.deepEqual(found, wanted.toSorted());
  });

  it('finds nothing in the repository', async () => {
    const tree = join(dir, 'tree');
    for (const { path, text } of readTree(ROOT).files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    const { found, bytes } = await findLeaks(tree);
    assert.deepEqual(found, []);
    assert.ok(bytes > 5_000_000, `only ${bytes} bytes were looked at`);
  });
});
