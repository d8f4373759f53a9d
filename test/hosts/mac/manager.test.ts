/**
 * bin/manager.ts as in production: a Scaleway project over HTTP, Macs over SSH, and tart-kubelet there, which joins with nothing but
 * what the manager put on its disk. Only the project and the Macs, which run real bash, are simulated.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TestContext, test } from 'node:test';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { startFleet } from '../../../src/cli/up/start-fleet.ts';
import { MAC_HOSTS } from '../../../src/kinds/mac-host.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../src/kube/types/certificates.ts';
import { NODES, SECRETS } from '../../../src/kube/types/core.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { SIMULATED_KEY } from '../../../src/scaleway/port/simulated-key.ts';
import { serveCloud } from '../../../src/sim/cloud/serve-cloud.ts';
import { createSimCloud } from '../../../src/sim/cloud/sim-cloud.ts';
import { createBashMacs } from '../../../src/sim/mac/bash/bash-macs.ts';
import { createMacArtefacts } from '../../../src/sim/mac/bash/mac-artefacts.ts';
import { openMacRack } from '../../../src/sim/mac/bash/mac-rack.ts';
import { PROJECT_ON_MAC } from '../../../src/sim/mac/bash/mac-root.ts';
import { scaleClock } from '../../../src/sim/mac/bash/scaled-clock.ts';
import { renderDemo } from '../../../src/world/demo-fleet.ts';

const MANAGER = join(import.meta.dirname, '..', '..', '..', 'bin', 'manager.ts');
const FLEET_KEY = openSshKeyFrom(Buffer.alloc(32, 9));
const QUIET = ['--metrics-bind-address=0', '--health-probe-bind-address=0', '--host-times=fast'];
/** What a release of tart-kubelet would be. */
const AGENT = `import '${PROJECT_ON_MAC}/bin/tart-kubelet.ts';\n`;
/** On the loopback, and no other Mac's. */
const ADDRESS = '127.77.0.1';

const DEADLINE_MS = 90_000;
const [clock, random] = [createSystemClock(), createSystemRandom()];

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, ADDRESS);
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  server.close();
  await once(server, 'close');
  return address.port;
};

/** A project with one Mac, which lets the fleet's key in. */
const startProject = async (t: TestContext) => {
  const cloud = createSimCloud({ clock, random, apiKeys: [SIMULATED_KEY] });
  cloud.as('a person').addSshKey({ name: 'macos', publicKey: FLEET_KEY.publicKey });
  const rack = await openMacRack({ parentDir: tmpdir(), node: process.execPath });
  const port = await freePort();
  const parts = { cloud, rack, ids: createIds(random), logger: silentLogger, port };
  const macs = createBashMacs({ ...parts, clock: scaleClock(clock, 10) });
  const { id } = cloud.addServer({ name: 'tuist-pool-1', address: ADDRESS });
  await macs.settled();
  const served = await serveCloud({ clock, cloud });
  t.after(async () => {
    await served.close();
    cloud.stop();
    await macs.stop();
    await rack.close();
  });
  return { cloud, id, mac: macs.mac(id), port, apiUrl: served.apiUrl };
};

const renderFleetKey = () => ({
  metadata: { namespace: 'default', name: 'macos-ssh' },
  data: {
    id_ed25519: Buffer.from(FLEET_KEY.privateKey.reveal()).toString('base64'),
    'id_ed25519.pub': Buffer.from(FLEET_KEY.publicKey).toString('base64'),
  },
});

const writeArtefacts = async (folder: string): Promise<readonly string[]> => {
  const { tart, node, agent } = createMacArtefacts({ agent: AGENT });
  const flags = { '--tart-tarball-path': tart, '--tartkubelet-runtime-path': node, '--tartkubelet-bundle-path': agent };
  for (const { name, open } of Object.values(flags))
    await pipeline(Readable.from(open()), createWriteStream(join(folder, name)));
  return Object.entries(flags).map(([flag, { name }]) => `${flag}=${join(folder, name)}`);
};

test('the manager process adopts a Mac over SSH, and tart-kubelet joins by a token and a certificate', {
  timeout: 110_000,
}, async (t) => {
  const { signal } = t;
  const data = mkdtempSync(join(tmpdir(), 'macfleet-manager-ssh-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const { cloud, id, mac, port, apiUrl } = await startProject(t);
  const common = { clock, random, logger: silentLogger, port: 0, macs: 0, speedUp: 1 };
  const fleet = await startFleet({ ...common, provider: 'elsewhere' }, signal);
  t.after(() => fleet.stop());
  const { client } = fleet;
  await client.create(SECRETS, renderFleetKey(), { signal });
  for (const { resource, object } of renderDemo(1)) await client.create(resource, object, { signal });
  const kubeconfig = join(data, 'kubeconfig');
  await pipeline(Readable.from([fleet.kubeconfig.reveal()]), createWriteStream(kubeconfig, { mode: 0o600 }));
  const flags = [
    ...['--kubeconfig', kubeconfig, '--scaleway', '--default-adopt-pool-prefix=tuist-pool-', `--ssh-port=${port}`],
    ...[...QUIET, ...(await writeArtefacts(data))],
  ];
  const env = {
    ...{ HOME: data, PATH: process.env['PATH'], SCW_API_URL: apiUrl, SCW_DEFAULT_PROJECT_ID: cloud.projectId },
    ...{ SCW_ACCESS_KEY: SIMULATED_KEY.accessKey, SCW_SECRET_KEY: SIMULATED_KEY.secretKey },
  };
  const manager = spawn(process.execPath, [MANAGER, ...flags], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const gone = once(manager, 'exit');
  t.after(async () => {
    manager.kill('SIGKILL');
    await gone;
  });
  const said: string[] = [];
  manager.stdout.on('data', (chunk) => said.push(String(chunk)));
  const log = (): string => said.join('').split('\n').slice(-8).join('\n');

  const host = async () => (await client.list(MAC_HOSTS, { signal })).items[0];
  const isJoined = async (): Promise<boolean> => (await host())?.status?.state === 'joined';
  const givesUpAt = clock.elapsed() + DEADLINE_MS;
  while (!(await isJoined())) {
    assert.ok(clock.elapsed() < givesUpAt, `${log()}\n${mac.files.readText('/var/log/tart-kubelet.log')}`);
    await sleep(clock, 250, signal);
  }

  const [node] = (await client.list(NODES, { signal })).items;
  assert.equal(node?.spec?.providerID, `scw-applesilicon://${cloud.zone}/${id}`);
  assert.match(node.status?.nodeInfo?.containerRuntimeVersion ?? '', /^tart:\/\/\d/);
  const onMac = mac.files.readText('/etc/tart-kubelet/kubeconfig') ?? '';
  assert.match(onMac, /token: /);
  assert.match(mac.files.readText('/etc/tart-kubelet/identity.json') ?? '', /BEGIN CERTIFICATE/);
  const secrets = (await client.list(SECRETS, { namespace: 'kube-system', signal })).items;
  const [token] = secrets.filter(({ type }) => type === 'bootstrap.kubernetes.io/token');
  const used = (await host())?.spec.identity?.token;
  assert.equal(token?.metadata.name, `bootstrap-token-${used?.id}`, 'its use is on record: it is good for nobody else');
  const requests = (await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal })).items;
  assert.match(requests[0]?.spec.username ?? '', /^system:bootstrap:/);
  assert.equal(requests[0]?.metadata.uid, used?.request);
  assert.equal(requests[0]?.status?.conditions?.[0]?.reason, 'MacOfTheFleet');
  assert.equal((await host())?.spec.identity?.nodeName, node.metadata.name);
  assert.equal(cloud.server(id)?.name, node.metadata.name, 'the Mac has its machine’s name at Scaleway');
});
