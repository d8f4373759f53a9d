/**
 * bin/manager.ts on a Scaleway project over HTTP and a Mac over SSH. Both are simulated, the Mac step-level, so that it runs
 * anywhere; test/hosts/mac/manager.test.ts is the same with real bash.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { createSystemClock } from '../src/base/clock.ts';
import { silentLogger } from '../src/base/logger.ts';
import { createSystemRandom } from '../src/base/random.ts';
import { startFleet } from '../src/cli/up/start-fleet.ts';
import { MAC_HOSTS } from '../src/kinds/mac-host.ts';
import { createHostIo } from '../src/kube/client/login/host-io.ts';
import { createNodeLogins } from '../src/kube/node/node-login.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../src/kube/types/certificates.ts';
import { NODES, SECRETS } from '../src/kube/types/core.ts';
import { openSshKeyFrom } from '../src/pki/openssh-key.ts';
import { SIMULATED_KEY } from '../src/scaleway/port/simulated-key.ts';
import { serveCloud } from '../src/sim/cloud/serve-cloud.ts';
import { createSimCloud } from '../src/sim/cloud/sim-cloud.ts';
import type { StartAgent } from '../src/sim/mac/mac-agent.ts';
import { createSimMacs } from '../src/sim/mac/sim-macs.ts';
import { serveMac } from '../src/sim/mac/ssh-server.ts';
import { renderDemo } from '../src/world/demo-fleet.ts';
import { createKubeletsOnSteps } from '../src/world/kubelets-on-steps.ts';
import { until } from '../tools/cluster/testing/stage.ts';

const MANAGER = join(import.meta.dirname, '..', 'bin', 'manager.ts');
const FLEET_KEY = openSshKeyFrom(Buffer.alloc(32, 9));
const ADDRESS = '127.0.0.1';
const [clock, random, logger] = [createSystemClock(), createSystemRandom(), silentLogger];
const data = mkdtempSync(join(tmpdir(), 'macfleet-manager-ssh-'));
after(() => rmSync(data, { recursive: true, force: true }));

/** tart-kubelet on Macs, in this process: each by what lies on its Mac. */
const createAgents = (t: TestContext): StartAgent => {
  const logins = createNodeLogins({ clock, random, logger, host: createHostIo() });
  const kubelets = createKubeletsOnSteps({ clock, random, logger, tart: {}, guestPrograms: {} });
  const stop = new AbortController();
  const agents: Promise<unknown>[] = [];
  t.after(async () => {
    stop.abort();
    await Promise.allSettled(agents);
    kubelets.stop();
    await logins.close();
  });
  return ({ nodeName, providerId, fleet, kubeconfig }, disk) => {
    const own = new AbortController();
    const signal = AbortSignal.any([own.signal, stop.signal]);
    const running = logins
      .clientForNode({ nodeName, kubeconfig, disk })
      .then((client) => kubelets.runNode({ client, nodeName, providerId, fleet, disk: 'fresh' }, signal));
    agents.push(running);
    return () => own.abort();
  };
};

/** A project with one Mac, which lets the fleet's key in. */
const startProject = async (t: TestContext) => {
  const cloud = createSimCloud({ clock, random, apiKeys: [SIMULATED_KEY] });
  const fleetKey = FLEET_KEY.privateKey;
  const macs = createSimMacs({ cloud, clock, random, fleetKey, startAgent: createAgents(t), timeScale: 0.01 });
  const { id } = cloud.addServer({ name: 'tuist-pool-1', address: ADDRESS });
  const mac = macs.mac(id);
  const door = await serveMac({ hosts: macs.hosts, mac, address: ADDRESS, fleetKey });
  const served = await serveCloud({ clock, cloud });
  t.after(async () => {
    await served.close();
    await door.close();
    macs.stop();
    cloud.stop();
  });
  return { cloud, id, mac, port: door.port, apiUrl: served.apiUrl };
};

const fileFlag = (flag: string, text: string): string => {
  const path = join(data, flag);
  writeFileSync(path, text, { mode: 0o600 });
  return `--${flag}=${path}`;
};

const startManager = (t: TestContext, flags: readonly string[], env: Readonly<Record<string, string>>) => {
  const quiet = ['--metrics-bind-address=0', '--health-probe-bind-address=0', '--host-times=fast'];
  const names = ['tart-tarball-path', 'tartkubelet-runtime-path', 'tartkubelet-bundle-path'];
  const files = names.map((name) => fileFlag(name, `the ${name}`));
  const manager = spawn(process.execPath, [MANAGER, '--scaleway', ...flags, ...quiet, ...files], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { HOME: data, PATH: process.env['PATH'], ...env },
  });
  const gone = once(manager, 'exit');
  t.after(async () => {
    manager.kill('SIGKILL');
    await gone;
  });
};

const renderFleetKey = () => ({
  metadata: { namespace: 'default', name: 'macos-ssh' },
  data: {
    id_ed25519: Buffer.from(FLEET_KEY.privateKey.reveal()).toString('base64'),
    'id_ed25519.pub': Buffer.from(FLEET_KEY.publicKey).toString('base64'),
  },
});

describe('the manager process with Macs over SSH', () => {
  it('prepares a Mac, whose tart-kubelet joins by the token that was put on its disk', {
    timeout: 90_000,
  }, async (t) => {
    const { signal } = t;
    const { cloud, id, mac, port, apiUrl } = await startProject(t);
    const options = { clock, random, logger, port: 0, macs: 0, speedUp: 1, provider: 'elsewhere' } as const;
    const fleet = await startFleet(options, signal);
    t.after(() => fleet.stop());
    const { client } = fleet;
    await client.create(SECRETS, renderFleetKey(), { signal });
    for (const { resource, object } of renderDemo(1)) await client.create(resource, object, { signal });
    const kubeconfig = fileFlag('kubeconfig', fleet.kubeconfig.reveal());
    startManager(t, [kubeconfig, '--default-adopt-pool-prefix=tuist-pool-', `--ssh-port=${port}`], {
      ...{ SCW_API_URL: apiUrl, SCW_DEFAULT_PROJECT_ID: cloud.projectId },
      ...{ SCW_ACCESS_KEY: SIMULATED_KEY.accessKey, SCW_SECRET_KEY: SIMULATED_KEY.secretKey },
    });
    const host = async () => (await client.list(MAC_HOSTS, { signal })).items[0];
    await until('the Mac has joined', async () => (await host())?.status?.state === 'joined');
    const [request] = (await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal })).items;
    assert.match(request?.spec.username ?? '', /^system:bootstrap:/);
    assert.equal(request?.status?.conditions?.[0]?.reason, 'MacOfTheFleet');
    assert.equal((await host())?.spec.identity?.nodeName, cloud.server(id)?.name);
    const [node] = (await client.list(NODES, { signal })).items;
    assert.match(node?.status?.nodeInfo?.containerRuntimeVersion ?? '', /^tart/);
    assert.equal(mac.view().epochFile?.epoch, (await host())?.spec.epoch);
  });
});
