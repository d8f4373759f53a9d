/** `macfleet up` on Macs with real bash: adopted from the simulated cloud, prepared over SSH, joined by what lies on them. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';
import { isKind } from '../../../src/base/errors.ts';
import { createIds } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { startFleet } from '../../../src/cli/up/start-fleet.ts';
import { MAC_HOSTS } from '../../../src/kinds/mac-host.ts';
import { CLUSTER_API_RESOURCES } from '../../../src/kube/types/cluster-api.ts';
import { NODES, PODS, SECRETS } from '../../../src/kube/types/core.ts';
import { openTriedRack } from '../../../src/sim/mac/bash/try-sandbox.ts';
import { DEMO_FLEET, renderDemo } from '../../../src/world/demo-fleet.ts';

/** Where this process, and nobody else, puts its temporary files. */
const scratch = mkdtempSync(join(tmpdir(), 'macfleet-up-'));
process.env['TMPDIR'] = scratch;
after(() => rmSync(scratch, { recursive: true, force: true }));

const LIMIT = { timeout: 110_000 };

test('up says that its Macs run real bash, and makes them into Nodes', LIMIT, async ({ signal }) => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const args = ['up', '--machines', '2', '--until', 'ready'];
  const exitCode = await runCli({ args, version: '0', io: { stdout: say, stderr: say, env: {}, signal } });
  const text = said.join('');
  assert.equal(exitCode, 0, text);
  assert.match(text, /The Macs run real bash in sandboxes and are prepared over SSH\./);
  assert.match(text, /All Macs are ready\./);
});

test('up runs jobs on runners whose guests are processes on Macs with real bash', LIMIT, async ({ signal }) => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const args = ['up', '--fleet', 'runners', '--machines', '1', '--jobs', '4', '--until', 'jobs-done'];
  const exitCode = await runCli({ args, version: '0', io: { stdout: say, stderr: say, env: {}, signal } });
  const text = said.join('');
  assert.equal(exitCode, 0, text);
  assert.match(text, /The Macs run real bash/);
  assert.match(text, /^4 of 4 CI jobs ran to their end, each in a VM of its own \(4 VMs\)\.$/m);
  assert.match(text, /No session is left open\./);
});

test('up that is stopped while it starts leaves nothing behind', LIMIT, async () => {
  const stop = new AbortController();
  const say = (text: string): void => (/API server ready/.test(text) ? stop.abort() : undefined);
  const io = { stdout: say, stderr: () => undefined, env: {}, signal: stop.signal };
  await runCli({ args: ['up', '--machines', '1', '--fleet', 'macos'], version: '0', io });
  assert.deepEqual(readdirSync(scratch), []);
});

test(
  'a Mac with real bash is adopted, runs a Pod as a VM, tells its log, and is given back wiped',
  LIMIT,
  async (t) => {
    const { signal } = t;
    const [clock, random] = [createSystemClock(), createSystemRandom()];
    const rack = await openTriedRack(createIds(random));
    const common = { clock, random, logger: silentLogger, port: 0, macs: 1, speedUp: 100 };
    const fleet = await startFleet({ ...common, provider: 'here', rack }, signal);
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (isStopped) return;
      isStopped = true;
      await fleet.stop();
      await rack.close();
    };
    t.after(stop);
    const { client } = fleet;
    const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
      for (;;) {
        const seen = await look();
        if (seen !== undefined) return seen;
        await sleep(clock, 100, signal);
      }
    };
    for (const { resource, object } of renderDemo(1)) await client.create(resource, object, { signal });
    const pod = await eventually(async () => {
      const { items } = await client.list(PODS, { signal });
      return items.find(({ status }) => status?.phase === 'Succeeded');
    });
    const path = `/api/v1/namespaces/default/pods/${pod.metadata.name}/log?tailLines=1`;
    // The agent may still wait for its certificate, and the API server then refuses to speak to it.
    const log = await eventually(() =>
      client.getRaw(path, { signal }).catch((error: unknown) => {
        assert.ok(isKind(error, 'unavailable'), String(error));
        return undefined;
      }),
    );
    assert.match(String(log), /^BuildVersion:\s+\w+\n$/);
    const key = await client.get(SECRETS, { namespace: 'default', name: `${DEMO_FLEET}-ssh` }, { signal });
    assert.ok(key.metadata.annotations?.['scaleway.tuist.dev/ssh-key-id'] !== undefined, 'Scaleway knows the key');

    const deployment = { namespace: 'default', name: DEMO_FLEET };
    const patch = { type: 'merge', body: { spec: { replicas: 0 } } } as const;
    await client.patch(CLUSTER_API_RESOURCES.machineDeployments, deployment, patch, { signal });
    await eventually(async () => {
      const [host] = (await client.list(MAC_HOSTS, { signal })).items;
      const isBack = host?.status?.server?.name?.startsWith('tuist-pool-') && host.spec.claimRef === undefined;
      return isBack === true && (await client.list(NODES, { signal })).items.length === 0 ? host : undefined;
    });
    await stop();
    assert.deepEqual(readdirSync(scratch), [], 'no disk is left');
  },
);
