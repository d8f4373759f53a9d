/** bin/tart-kubelet.ts on a real Kubernetes: to the API server, the scheduler and kubectl it is a Node like any other. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Secret } from '../../src/base/secret.ts';
import { parseKeptIdentity } from '../../src/kube/node/kept-identity.ts';
import { parseCertificates } from '../../src/pki/certificate.ts';
import { ATTEMPTS, runAttempts } from './node-identity/attempts.ts';
import type { KubeletMac } from './tart-kubelet/kubelet-mac.ts';
import { type MacPark, openMacPark, renderLogin } from './tart-kubelet/mac-park.ts';
import { renderJob } from './tart-kubelet/workloads.ts';

interface Mac extends MacPark {
  readonly mac: KubeletMac;
  readonly nodeName: string;
}

const openMac = async (t: TestContext): Promise<Mac> => {
  const park = await openMacPark(t, { macs: 1 });
  const [mac] = park.macs;
  assert.ok(mac);
  return { ...park, mac, nodeName: mac.nodeName };
};

/** Asks the agent itself, as Prometheus would. */
const askAgent = async ({ kubectl, nodeName, cluster }: Mac, path: string, token?: string): Promise<string> => {
  const port = Number(await kubectl(`get node ${nodeName} -o jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}`));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, ca: cluster.caPem, headers, agent: false } as const;
    const asked = request(options, async (response) => {
      let said = '';
      for await (const chunk of response) said += String(chunk);
      resolve(`${response.statusCode} ${said}`);
    });
    asked.once('error', reject);
    asked.end();
  });
};

const isReadyNode = async ({ kubectl, nodeName }: Mac): Promise<void> => {
  assert.match(await kubectl(`get node ${nodeName} --no-headers`), /^\S+ +Ready /);
  assert.match(await kubectl(`get node ${nodeName} -o wide --no-headers`), /127\.0\.0\.1 .* tart:\/\/\d/);
  assert.match(await kubectl(`get node ${nodeName} -o jsonpath={.spec.taints[*].key}`), /tuist\.dev\/macos/);
};

const runsJob = async ({ kubectl, fleet }: Mac): Promise<void> => {
  await kubectl('create -f -', renderJob({ name: 'good', fleet, script: 'echo hello; echo world' }));
  assert.match(await kubectl('wait --for=condition=complete --timeout=50s job/good'), /condition met/);
  assert.match(await kubectl('logs job/good'), /hello\nworld\n/);
  assert.match(await kubectl('logs job/good --tail=1 --timestamps'), /^\d{4}-\S+Z world\n$/);
  const previous = await kubectl('logs job/good --previous');
  assert.match(previous, /previous terminated container "main" in pod "good-\w+" not found/);
};

const isFollowed = async ({ kubectl, fleet }: Mac): Promise<void> => {
  const script = 'for i in 1 2 3 4 5; do echo line $i; sleep 0.3; done; exit 3';
  await kubectl('create -f -', renderJob({ name: 'slow', fleet, script, backoffLimit: 0 }));
  await kubectl('wait --for=jsonpath={.status.phase}=Running --timeout=50s pod -l job-name=slow');
  assert.match(await kubectl('exec job/slow -- ls'), /commands cannot be run in a VM through the API yet/);
  assert.match(await kubectl('logs -f job/slow'), /line 1\nline 2\nline 3\nline 4\nline 5\n/);
  assert.match(await kubectl('wait --for=condition=failed --timeout=50s job/slow'), /condition met/);
  const code = 'jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}';
  assert.equal(await kubectl(`get pods -l job-name=slow -o ${code}`), '3');
};

const givesFigures = async (mac: Mac): Promise<void> => {
  const { kubectl, namespace, until, nodeName, fleet, undo } = mac;
  await kubectl('create serviceaccount scraper');
  const bearer = (await kubectl('create token scraper')).trim();
  assert.match(await askAgent(mac, '/metrics/resource'), /^401/);
  assert.match(await askAgent(mac, '/metrics/resource', bearer), /^403 Forbidden \(user=system:serviceaccount:/);
  await kubectl(`create clusterrole ${namespace} --verb=get --resource=nodes/metrics,nodes/stats`);
  await kubectl(
    `create clusterrolebinding ${namespace} --clusterrole=${namespace} --serviceaccount=${namespace}:scraper`,
  );
  undo(() => kubectl(`delete clusterrolebinding,clusterrole ${namespace}`));
  const stats = await until('it is allowed', async () => {
    const said = await askAgent(mac, '/stats/summary', bearer);
    return said.startsWith('200') && said;
  });
  assert.match(stats, new RegExp(`"nodeName":"${nodeName}"`));
  // What metrics-server reads for `kubectl top`.
  await kubectl('create -f -', renderJob({ name: 'busy', fleet, script: 'sleep 600' }));
  await kubectl('wait --for=jsonpath={.status.phase}=Running --timeout=50s pod -l job-name=busy');
  const figures = await until('its VM is among them', async () => {
    const said = await askAgent(mac, '/metrics/resource', bearer);
    return said.includes('pod="busy-') && said;
  });
  for (const name of ['pod_cpu_usage_seconds_total', 'pod_memory_working_set_bytes'])
    assert.match(
      figures,
      new RegExp(`\\n${name}\\{namespace="${namespace}",pod="busy-\\w+"\\} \\d+(\\.\\d+)? \\d+\\n`),
    );
  assert.match(figures, /^200 (.*\n)*node_cpu_usage_seconds_total \d+(.*\n)*resource_scrape_error 0\n/);
  await kubectl('delete job/busy --cascade=foreground --wait=true');
};

/** With what lies on its disk; the agent is stopped, so that it does not put right what is tried. */
const isConfined = async (t: TestContext, { cluster, nodeName, mac }: Mac): Promise<void> => {
  await mac.stop();
  const { folder } = mac;
  const { current } = parseKeptIdentity(new Secret(readFileSync(join(folder, 'identity.json'), 'utf8')));
  assert.ok(current !== undefined);
  assert.equal(parseCertificates(current.certificatePem)[0].commonName, `system:node:${nodeName}`);
  const kubeconfig = join(folder, 'own.kubeconfig');
  const login = { certificate: current.certificatePem, key: current.keyPem };
  writeFileSync(kubeconfig, renderLogin(cluster, login), { mode: 0o600 });
  for (const { row, verdict, answer } of await runAttempts(cluster, { nodeName, kubeconfig }, ATTEMPTS)) {
    await t.test(`${row.attempt}: ${row.verdict}`, () => assert.equal(verdict, row.verdict, answer));
  }
};

test('a Mac with tart-kubelet', { timeout: 200_000 }, async (t) => {
  const mac = await openMac(t);
  await t.test('is a Node that is ready, with what it says of itself', () => isReadyNode(mac));
  await t.test('runs a Job to its end, and kubectl shows its log', () => runsJob(mac));
  await t.test('has its log followed while it runs, and says why there is no exec', () => isFollowed(mac));
  await t.test('gives its figures to whom the API lets have them', () => givesFigures(mac));
  await t.test('is confined by its own certificate as every Node is', (own) => isConfined(own, mac));
});
