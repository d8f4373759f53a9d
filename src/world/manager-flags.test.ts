import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseManagerFlags } from './manager-flags.ts';

describe('a manager works on', () => {
  test('the Scaleway project that it is told of, in these zones', () => {
    const args = ['--scaleway', '--scaleway-credentials', '/s', '--zones', 'fr-par-1, fr-par-3'];
    assert.deepEqual(parseManagerFlags([...args, '--default-adopt-pool-prefix', 'pool-']).work, {
      ...{ on: 'scaleway', credentialsDirectory: '/s', zones: ['fr-par-1', 'fr-par-3'], poolPrefix: 'pool-' },
    });
  });

  test('what SCW_* says when nothing else is said, and only on Macs whose machine names a prefix', () => {
    const { work, flags } = parseManagerFlags(['--scaleway']);
    assert.deepEqual(work, { on: 'scaleway', credentialsDirectory: undefined, zones: undefined, poolPrefix: '' });
    assert.deepEqual([flags.healthPort, flags.leaseNamespace], [8081, 'kube-system']);
  });

  test('simulated Macs, a hundred times as fast as life unless told otherwise', () => {
    const common = { on: 'simulated-macs', macs: 3, joinKubeconfig: undefined, projectId: undefined };
    assert.deepEqual(parseManagerFlags(['--simulated-macs', '3']).work, { ...common, speedUp: 100 });
    assert.deepEqual(parseManagerFlags(['--simulated-macs', '3', '--speed-up', '7']).work, { ...common, speedUp: 7 });
  });
});

describe('a manager refuses', () => {
  const rows: readonly { story: string; args: readonly string[]; code: string }[] = [
    { story: 'to work on nothing', args: [], code: 'NothingToWorkOn' },
    { story: 'a count that is none', args: ['--simulated-macs', 'many'], code: 'BadNumber' },
    { story: 'to stand still', args: ['--simulated-macs', '1', '--speed-up', '0'], code: 'BadNumber' },
    { story: 'a port that is none', args: ['--scaleway', '--health-port', '70000'], code: 'BadNumber' },
  ];
  for (const { story, args, code } of rows) test(story, () => assert.throws(() => parseManagerFlags(args), { code }));
});
