/** The commands of README's *Install on a cluster*, as they stand there: three fleets on simulated Macs, from the image. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ImageNode, openImageNode } from '../image/image-node.ts';
import type { Cluster } from './bench/cluster.ts';
import { startCluster } from './bench.ts';
import { PROJECT } from './chart/chart-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';

const RECIPE = /<!-- recipe: install-on-a-cluster -->\n```sh\n(.*?)```/s;
const COMMAND_MS = 170_000;

/** Lines without their comments, as words; files of the project from wherever this runs. */
const commands = (): readonly (readonly string[])[] => {
  const [, recipe = ''] = RECIPE.exec(readFileSync(join(PROJECT, 'README.md'), 'utf8')) ?? [];
  const lines = recipe.split('\n').map((line) => line.replace(/ +#.*$/, '').trim());
  const toFile = (word: string): string => (existsSync(join(PROJECT, word)) ? join(PROJECT, word) : word);
  return lines
    .filter((line) => line !== '')
    .map((line) => line.split(' ').map((word) => (word.includes('/') ? toFile(word) : word)));
};

describe('what README says about installing', { timeout: 420_000, skip: skipWithoutLab() }, () => {
  let cluster: Cluster;
  let node: ImageNode;
  before(async () => {
    cluster = await startCluster({ parts: 'cluster-api' });
    node = await openImageNode(cluster, { name: 'linux', repository: 'macfleet' });
  });
  after(async () => {
    await node?.close();
    await cluster?.stop();
  });

  it('works word by word: install, look, upgrade, rollback, uninstall', async () => {
    const said: string[] = [];
    for (const [binary = '', ...args] of commands()) {
      const { code, stdout, stderr } = await cluster.run(binary, args, { timeoutMs: COMMAND_MS });
      assert.equal(code, 0, `${binary} ${args.join(' ')}\n${stdout}${stderr}\n${node.logOf('').slice(-4_000)}`);
      said.push(`${stdout}${stderr}`);
    }
    const [installed = '', available = ''] = said;
    assert.match(installed, /STATUS: deployed/);
    for (const fleet of ['macos', 'runners', 'builders'])
      assert.match(available, new RegExp(`macfleet-${fleet}-fleet condition met`));
    assert.match(said.at(-1) ?? '', /macfleet-macos-fleet/, 'Helm lists what it keeps');
  });
});
