/** The command line on a real Kubernetes: the same wreck as on the embedded one, with what only a real one has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUDITED_KINDS } from '../../src/cli/audit/audited-kinds.ts';
import { judgeFleet } from '../../src/cli/audit/judge-fleet.ts';
import { trimSecret } from '../../src/cli/audit/rules/secrets.ts';
import { HEALTHY, problemsAt } from '../../src/cli/audit/testing/wreck.ts';
import { listKinds } from '../../src/cli/cluster/list-kinds.ts';
import { LIST_PRICES } from '../../src/cli/fleet/prices.ts';
import { NAMESPACES, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import { plant } from '../cli/plant.ts';
import { runMacfleet } from '../cli/stage.ts';
import { installKinds, startCluster } from './bench.ts';

/** What is deleted now is stuck by then. */
const LATER_MS = 3_600_000;

test('the command line on a real API server', { timeout: 300_000 }, async (t) => {
  const { signal } = t;
  const cluster = await startCluster({ parts: 'api' });
  t.after(() => cluster.stop());
  const client = await cluster.client();
  const env = { KUBECONFIG: cluster.kubeconfig, HOME: cluster.dir };

  await t.test('says that our kinds are not there', async () => {
    const { exitCode, stderr } = await runMacfleet(['audit'], env, '');
    assert.deepEqual([exitCode, /code: FleetNotInstalled/.test(stderr)], [4, true], stderr);
  });

  await installKinds(cluster);
  await t.test('finds nothing where all is in order, and that Cluster API is missing', async () => {
    assert.deepEqual(await runMacfleet(['audit'], env, ''), { exitCode: 0, stdout: 'Nothing found.\n', stderr: '' });
    const { exitCode, stdout } = await runMacfleet(['status'], env, '');
    assert.equal(exitCode, 0);
    assert.match(stdout, /note: Cluster API core \(cluster\.x-k8s\.io\/v1beta2\) is not installed/);
  });

  await t.test('finds every planted problem of a wreck, and nothing else', async () => {
    await client.create(NAMESPACES, { metadata: { name: 'tuist' } }, { signal });
    // No controllers run here, which would make it.
    await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'tuist' } }, { signal });
    const nowMs = Date.now() + LATER_MS;
    const problems = problemsAt(nowMs);
    for (const planted of [...HEALTHY, ...problems.flatMap(({ objects }) => objects)])
      await plant(client, planted, signal);
    const lists = await listKinds(AUDITED_KINDS, { client, signal }, { secrets: trimSecret });
    const { findings } = judgeFleet(lists, [], { nowMs, prices: LIST_PRICES });
    assert.deepEqual(
      findings.map(({ code, subject }) => `${code} ${subject}`).toSorted(),
      problems.flatMap(({ finds }) => finds).toSorted(),
    );
  });

  await t.test('shows a Mac by the beginning of its id, and releases it', async () => {
    const described = await runMacfleet(['describe', 'host', '7777'], env, '');
    assert.match(described.stdout, /waits for {2}OwnerVanished/, described.stderr);
    const released = await runMacfleet(['release', '7777', '--reason', 'NotNeeded', '--yes'], env, '');
    assert.match(released.stdout, /Asked for, as /, released.stderr);
    const again = await runMacfleet(['release', '7777', '--yes'], env, '');
    assert.match(again.stdout, /was asked for already/, again.stderr);
  });
});
