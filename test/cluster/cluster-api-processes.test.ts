/** Pods as local processes: a Deployment is Available because its program answers, and helm waits for something real. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createIds } from '../../src/base/ids.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import type { Cluster } from './bench/cluster.ts';
import { sharedCluster } from './bench.ts';
import { openProcessNode, type ProcessNode } from './cluster-api/process-node.ts';

/** Answers with the word it was given, on one path; ends when it is asked to. */
const SERVER = `
  const { POD_IP, WORD } = process.env;
  const server = require('node:http').createServer(({ url }, answer) => answer.writeHead(url === '/' ? 200 : 404).end(WORD));
  server.listen(8080, POD_IP);
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

/** Of the Node and of the namespace of its Pods. */
const NAME = `local-${createIds(createSystemRandom()).suffix(6)}`;

describe('Pods that are local processes', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let node: ProcessNode;
  before(async () => {
    cluster = await sharedCluster('kubernetes');
    node = await openProcessNode(cluster, NAME);
  });
  after(async () => {
    await node?.close();
    await cluster?.stop();
  });

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl([...args, '-n', NAME]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const apply = (object: object) =>
    cluster.kubectl(['apply', '-n', NAME, '-f', '-'], { input: JSON.stringify(object) });
  const podSpec = (command: readonly string[], more: object = {}) => ({
    nodeSelector: { 'kubernetes.io/hostname': NAME },
    tolerations: [{ operator: 'Exists' }],
    terminationGracePeriodSeconds: 2,
    containers: [
      {
        ...{ name: 'main', image: 'ours', command },
        env: [
          { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'WORD', value: 'hello' },
        ],
        ...more,
      },
    ],
  });
  const serverSpec = podSpec(['node', '-e', SERVER], {
    readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
  });
  const renderServer = (word: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'server' },
    spec: {
      selector: { matchLabels: { app: 'server' } },
      template: { metadata: { labels: { app: 'server' }, annotations: { word } }, spec: serverSpec },
    },
  });
  const renderPod = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  const answerOf = async ({ status }: Pod): Promise<string> => (await fetch(`http://${status?.podIP}:8080/`)).text();

  it('make a Deployment Available once they answer, are replaced in a rollout, and end with it', async () => {
    assert.equal((await apply(renderServer('first'))).code, 0);
    await kubectl('rollout', 'status', 'deployment/server', '--timeout=30s');
    const [first] = node.podsOf('app=server');
    assert.ok(first);
    assert.equal(await answerOf(first), 'hello');
    assert.equal((await apply(renderServer('second'))).code, 0);
    await kubectl('rollout', 'status', 'deployment/server', '--timeout=30s');
    await node.until('only the second is left', () => {
      const [pod, ...others] = node.podsOf('app=server');
      return (
        others.length === 0 &&
        pod?.metadata.annotations?.['word'] === 'second' &&
        pod.metadata.uid !== first.metadata.uid
      );
    });
    await assert.rejects(answerOf(first), 'the first process has ended');
    const [second] = node.podsOf('app=server');
    assert.ok(second);
    await kubectl('delete', 'deployment', 'server', '--timeout=30s');
    await node.until('the Pod is gone', () => node.podsOf('app=server').length === 0);
    await assert.rejects(answerOf(second), 'its process has ended too');
  });

  it('tell how they ended: the exit code, or that they end again and again', async () => {
    const once = { ...podSpec(['node', '-e', 'process.exit(3)']), restartPolicy: 'Never' };
    assert.equal((await apply(renderPod('once', once))).code, 0);
    assert.equal((await apply(renderPod('again', podSpec(['node', '-e', 'process.exit(4)'])))).code, 0);
    const failed = await node.until('the one has failed', () =>
      node.pod('once', ({ status }) => status?.phase === 'Failed'),
    );
    assert.equal(failed.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
    const looping = await node.until('the other waits for its third start', () =>
      node.pod('again', ({ status }) => {
        const [container] = status?.containerStatuses ?? [];
        return container?.restartCount === 2 && container.state?.waiting?.reason === 'CrashLoopBackOff';
      }),
    );
    assert.match(looping.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '', /exit code 4/);
    await kubectl('delete', 'pod', 'once', 'again', '--timeout=20s');
  });

  it('are killed when they do not end within their grace', async () => {
    const deaf = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1_000);";
    const spec = { ...podSpec(['node', '-e', deaf]), terminationGracePeriodSeconds: 1 };
    assert.equal((await apply(renderPod('deaf', spec))).code, 0);
    await node.until('it runs', () => node.pod('deaf', ({ status }) => status?.phase === 'Running'));
    await kubectl('delete', 'pod', 'deaf', '--timeout=20s');
    await node.until(
      'its Node has heard that it is gone',
      () => node.pod('deaf', () => true) === undefined || undefined,
    );
  });

  it('stay pending, and say why, when they ask for what a local process does not get', async () => {
    const containers = [{ name: 'main', image: 'somebody-elses' }];
    assert.equal((await apply(renderPod('unknown', { ...serverSpec, containers }))).code, 0);
    const pod = await node.until('it says why', () =>
      node.pod('unknown', ({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === 'ErrImagePull'),
    );
    assert.equal(pod.status?.phase, 'Pending');
    await kubectl('delete', 'pod', 'unknown', '--timeout=20s');
  });

  it('are what helm waits for, and what it complains about when they are not ready', async () => {
    const chart = join(cluster.dir, `${NAME}-chart`);
    mkdirSync(join(chart, 'templates'), { recursive: true });
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: tiny\nversion: 0.1.0\n');
    const server = renderServer('helm');
    const text = JSON.stringify({ ...server, metadata: { name: '{{ .Release.Name }}' } });
    assert.match(text, /"path":"\/"/);
    writeFileSync(join(chart, 'templates', 'server.yaml'), text.replace('"path":"/"', '"path":"{{ .Values.path }}"'));
    const helm = (...args: readonly string[]) => cluster.run('helm', [...args, '--namespace', NAME, '--wait']);
    const installed = await helm('install', 'tiny', chart, '--set', 'path=/', '--timeout', '20s');
    assert.equal(installed.code, 0, installed.stderr);
    assert.equal(node.podsOf('app=server').filter(isPodReady).length, 1);
    const broken = await helm('upgrade', 'tiny', chart, '--set', 'path=/missing', '--timeout', '3s');
    assert.notEqual(broken.code, 0);
    assert.match(broken.stderr, /Deployment\/[^ ]*tiny|deadline|not ready/i);
    const removed = await helm('uninstall', 'tiny', '--timeout', '20s');
    assert.equal(removed.code, 0, removed.stderr);
  });
});

const isPodReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
