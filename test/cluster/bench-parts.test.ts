/** That each part of the bench does its work, and under whose name. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createIds } from '../../src/base/ids.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';

const suffix = createIds(createSystemRandom()).suffix(8);
const namespace = `parts-${suffix}`;

describe('the parts of a cluster', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    await kubectl(['create', 'namespace', namespace]);
  });
  after(async () => {
    await kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await cluster.stop();
  });

  const kubectl = async (args: readonly string[], input = ''): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(args, { input });
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const create = (object: object): Promise<string> => kubectl(['create', '-f', '-'], JSON.stringify(object));
  const waitFor = (what: string, object: string): Promise<string> =>
    kubectl(['wait', `--for=${what}`, '--timeout=30s', '-n', namespace, object]);

  it('the scheduler binds a Pod to a Node that has room', async () => {
    const node = `node-${suffix}`;
    const labels = { bench: suffix };
    await create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels } });
    const status = {
      capacity: { cpu: '2', memory: '4Gi', pods: '10' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }],
    };
    await kubectl(['patch', 'node', node, '--subresource=status', '-p', JSON.stringify({ status })]);
    await create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bound', namespace },
      spec: {
        nodeSelector: labels,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'main', image: 'none.invalid/none' }],
      },
    });
    await waitFor('condition=PodScheduled', 'pod/bound');
    assert.equal(await kubectl(['get', 'pod', 'bound', '-n', namespace, '-o', 'jsonpath={.spec.nodeName}']), node);
    await kubectl(['delete', 'pod', 'bound', '-n', namespace, '--force', '--grace-period=0']);
    await kubectl(['delete', 'node', node]);
  });

  it('the garbage collector removes what belongs to something that is gone', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner', namespace } };
    await create(owner);
    const uid = await kubectl(['get', 'configmap', 'owner', '-n', namespace, '-o', 'jsonpath={.metadata.uid}']);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await create({ ...owner, metadata: { name: 'owned', namespace, ownerReferences } });
    await kubectl(['delete', 'configmap', 'owner', '-n', namespace]);
    await waitFor('delete', 'configmap/owned');
  });

  it('a bootstrap token says who its bearer is', async () => {
    const [id, secret] = [suffix.slice(0, 6), `${suffix}${suffix}`];
    await create({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
    });
    const place = ['--server', cluster.server, '--certificate-authority', join(cluster.dir, 'pki', 'ca.crt')];
    const args = ['auth', 'whoami', '-o', 'json', ...place, '--token', `${id}.${secret}`];
    const { stdout } = await cluster.kubectl(args, { kubeconfig: '/dev/null' });
    assert.match(stdout, new RegExp(`"username": "system:bootstrap:${id}"`));
    await kubectl(['delete', 'secret', `bootstrap-token-${id}`, '-n', 'kube-system']);
  });

  const rights = [
    { story: 'the API server may reach kubelets', as: 'kube-apiserver', ask: ['get', 'nodes/proxy'], may: 'yes' },
    { story: 'the API server may do no more than that', as: 'kube-apiserver', ask: ['list', 'secrets'], may: 'no' },
    {
      story: 'core may clone our templates',
      as: 'system:serviceaccount:capi-system:capi-manager',
      ask: ['create', 'scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io'],
      may: 'yes',
    },
    {
      story: 'core is no administrator',
      as: 'system:serviceaccount:capi-system:capi-manager',
      ask: ['create', 'clusterroles.rbac.authorization.k8s.io'],
      may: 'no',
    },
  ];
  for (const { story, as, ask, may } of rights) {
    it(story, async () => {
      const { stdout } = await cluster.kubectl(['auth', 'can-i', ...ask, '--as', as, '-n', namespace]);
      assert.equal(stdout.trim(), may);
    });
  }

  it("core's webhooks convert, and refuse what is wrong", async () => {
    const check = (clusterName: string, matchLabels: object): string =>
      JSON.stringify({
        apiVersion: 'cluster.x-k8s.io/v1beta1',
        kind: 'MachineHealthCheck',
        metadata: { name: 'check', namespace },
        spec: { clusterName, selector: { matchLabels }, maxUnhealthy: '40%' },
      });
    const refused = await cluster.kubectl(['create', '-f', '-'], { input: check('one', {}) });
    assert.match(refused.stderr, /selector must not be empty/);
    await kubectl(['create', '-f', '-'], check('one', { role: 'mac' }));
    const path = 'jsonpath={.apiVersion} {.spec.remediation.triggerIf.unhealthyLessThanOrEqualTo}';
    const stored = await kubectl(['get', 'machinehealthcheck', 'check', '-n', namespace, '-o', path]);
    assert.equal(stored, 'cluster.x-k8s.io/v1beta2 40%');
  });

  it('a namespace that is deleted goes, with what is in it', async () => {
    const doomed = `doomed-${suffix}`;
    await kubectl(['create', 'namespace', doomed]);
    await kubectl(['create', 'configmap', 'held', '-n', doomed]);
    await kubectl(['delete', 'namespace', doomed, '--timeout=60s']);
  });
});
