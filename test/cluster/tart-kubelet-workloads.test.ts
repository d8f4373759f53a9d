/**
 * Three Macs with tart-kubelet on a real Kubernetes, and what its own controllers, its scheduler and kubectl make of them: workloads are
 * spread, rolled, evicted and drained as on any other Nodes, and outlive agents and Macs.
 */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PODS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import type { KubeletMac } from './tart-kubelet/kubelet-mac.ts';
import { type MacPark, openMacPark } from './tart-kubelet/mac-park.ts';
import { renderJob, renderWeb, UNREADY_FILE, untilFile } from './tart-kubelet/workloads.ts';

const MACS = 3;

const podsOf = async ({ client, namespace, signal }: MacPark, app: string): Promise<readonly Pod[]> =>
  (await client.list(PODS, { namespace, labelSelector: `app=${app}`, signal })).items;

/** Those of the server that are not on their way out. */
const serversOf = async (park: MacPark): Promise<readonly Pod[]> =>
  (await podsOf(park, 'web')).filter(({ metadata }) => metadata.deletionTimestamp === undefined);

const serverOn = async (park: MacPark, { nodeName }: KubeletMac): Promise<Pod> => {
  const [pod] = (await serversOf(park)).filter(({ spec }) => spec.nodeName === nodeName);
  assert.ok(pod, `a server on ${nodeName}`);
  return pod;
};

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

interface Slices {
  readonly items: readonly {
    readonly endpoints: readonly {
      readonly addresses: readonly string[];
      readonly nodeName: string;
      readonly conditions: { readonly ready: boolean };
      readonly targetRef: { readonly name: string };
    }[];
  }[];
}

const endpointsOf = async (park: MacPark) => {
  const { items } = await park.read<Slices>('get endpointslices -l kubernetes.io/service-name=web');
  return items.flatMap(({ endpoints }) => endpoints);
};

const readyNames = async (park: MacPark): Promise<readonly string[]> =>
  (await endpointsOf(park)).filter(({ conditions }) => conditions.ready).map(({ targetRef }) => targetRef.name);

const allServe = async (park: MacPark): Promise<readonly Pod[]> =>
  park.until('all servers are ready, and so says the Service', async () => {
    const [pods, ready] = [await serversOf(park), await readyNames(park)];
    const isSo = pods.length === MACS && pods.every(isReady) && ready.length === MACS;
    return isSo && pods.every(({ metadata }) => ready.includes(metadata.name)) && pods;
  });

const isSpread = async (park: MacPark): Promise<void> => {
  await park.kubectl('create -f -', renderWeb(park.fleet, MACS));
  assert.match(await park.kubectl('rollout status deployment/web --timeout=80s'), /successfully rolled out/);
  const pods = await allServe(park);
  assert.equal(new Set(pods.map(({ spec }) => spec.nodeName)).size, MACS, 'each Mac has one');
  for (const { addresses, nodeName, targetRef } of await endpointsOf(park)) {
    assert.match(addresses.join(), /^192\.168\.64\.\d+$/);
    assert.equal(nodeName, pods.find(({ metadata }) => metadata.name === targetRef.name)?.spec.nodeName);
  }
};

const followsProbes = async (park: MacPark): Promise<void> => {
  const [pod] = await serversOf(park);
  assert.ok(pod);
  const { name } = pod.metadata;
  const file = join(park.macOf(pod.spec.nodeName).diskOf(pod), UNREADY_FILE);
  writeFileSync(file, '');
  await park.until('it is no endpoint', async () => !(await readyNames(park)).includes(name));
  assert.equal((await readyNames(park)).length, MACS - 1, 'the others serve on');
  rmSync(file);
  const [again] = (await allServe(park)).filter(({ metadata }) => metadata.name === name);
  assert.equal(again?.status?.containerStatuses?.[0]?.restartCount, 0);
};

const runsJob = async (park: MacPark): Promise<void> => {
  const script = 'echo part $JOB_COMPLETION_INDEX';
  await park.kubectl('create -f -', renderJob({ name: 'parts', fleet: park.fleet, script, completions: MACS }));
  assert.match(await park.kubectl('wait --for=condition=complete --timeout=80s job/parts'), /condition met/);
  const pods = await podsOf(park, 'parts');
  assert.equal(new Set(pods.map(({ spec }) => spec.nodeName)).size, MACS, 'each Mac ran one');
  for (const { metadata } of pods) {
    const index = metadata.annotations?.['batch.kubernetes.io/job-completion-index'];
    assert.match(await park.kubectl(`logs ${metadata.name}`), new RegExp(`^part ${index}\n`));
  }
};

const isRolled = async (park: MacPark): Promise<void> => {
  const before = await allServe(park);
  await park.kubectl('set env deployment/web VERSION=two');
  assert.match(await park.kubectl('rollout status deployment/web --timeout=80s'), /successfully rolled out/);
  const after = await allServe(park);
  const uids = before.map(({ metadata }) => metadata.uid);
  for (const { metadata } of after) {
    assert.ok(!uids.includes(metadata.uid));
    assert.equal(await park.kubectl(`logs ${metadata.name}`), 'serving two\n');
  }
  await park.until('the old ones are gone', async () => (await podsOf(park, 'web')).length === MACS);
};

const evict = (park: MacPark, name: string): Promise<string> => {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: park.namespace } };
  return park.kubectl(`create --raw /api/v1/namespaces/${park.namespace}/pods/${name}/eviction -f -`, eviction);
};

const isEvicted = async (park: MacPark): Promise<void> => {
  const [pod, other] = await allServe(park);
  assert.ok(pod && other);
  const refused = /Cannot evict pod as it would violate the pod's disruption budget/;
  assert.match(await evict(park, pod.metadata.name), refused);
  const allow = `{"spec":{"minAvailable":${MACS - 1}}}`;
  await park.kubectl(`patch poddisruptionbudget web --type=merge -p ${allow}`);
  await park.until('the budget allows one', async () => /Success/.test(await evict(park, pod.metadata.name)));
  assert.match(await evict(park, other.metadata.name), refused, 'and no second one meanwhile');
  await park.until('the Pod is gone', async () =>
    (await podsOf(park, 'web')).every(({ metadata }) => metadata.uid !== pod.metadata.uid),
  );
  await allServe(park);
};

/** Stands for everything that a user can see of a Pod. */
const versionOf = ({ metadata }: Pod): string => `${metadata.uid} ${metadata.resourceVersion}`;

const survivesKill = async (park: MacPark, mac: KubeletMac): Promise<void> => {
  const server = await serverOn(park, mac);
  const gate = join(mac.folder, 'gate');
  const script = `echo before; ${untilFile(gate)}; echo after; exit 0`;
  await park.kubectl('create -f -', renderJob({ name: 'kept', fleet: park.fleet, nodeName: mac.nodeName, script }));
  const [job] = await park.until('the job runs', async () => {
    const pods = await podsOf(park, 'kept');
    return pods.every(isReady) && pods.length === 1 && pods;
  });
  const endpoints = await endpointsOf(park);
  await mac.kill();
  writeFileSync(gate, '');
  mac.start();
  assert.match(await park.kubectl('wait --for=condition=complete --timeout=80s job/kept'), /condition met/);
  assert.equal(await park.kubectl('logs job/kept'), 'before\nafter\n');
  assert.deepEqual(
    (await podsOf(park, 'kept')).map(({ metadata }) => metadata.uid),
    [job?.metadata.uid],
    'it ran once',
  );
  await park.until('its logs are there again', async () =>
    /^serving/.test(await park.kubectl(`logs ${server.metadata.name}`)),
  );
  assert.equal(versionOf(await serverOn(park, mac)), versionOf(server), 'not a word was written to the other Pod');
  const own = (all: typeof endpoints) => all.filter(({ nodeName }) => nodeName === mac.nodeName);
  assert.deepEqual(own(await endpointsOf(park)), own(endpoints));
};

/** Nobody can start this machine again: the Node is made to tell of the boot before it instead. */
const forgetBoot = (park: MacPark, { nodeName }: KubeletMac): Promise<string> =>
  park.kubectl(
    `patch node ${nodeName} --subresource=status --type=merge -p {"status":{"nodeInfo":{"bootID":"the-one-before"}}}`,
  );

const endOf = ({ status }: Pod, which: 'state' | 'lastState') => {
  const [container] = status?.containerStatuses ?? [];
  const { exitCode, reason } = container?.[which]?.terminated ?? {};
  return { exitCode, reason, restarts: container?.restartCount };
};

const survivesReboot = async (park: MacPark, mac: KubeletMac): Promise<void> => {
  const server = await serverOn(park, mac);
  const gate = join(mac.folder, 'boot');
  const job = { name: 'lost', fleet: park.fleet, nodeName: mac.nodeName, script: untilFile(gate) };
  await park.kubectl('create -f -', renderJob(job));
  await park.until('the job runs', async () => (await podsOf(park, 'lost')).some(isReady));
  await mac.losePower();
  writeFileSync(gate, '');
  await forgetBoot(park, mac);
  mac.start();
  assert.match(await park.kubectl('wait --for=condition=complete --timeout=80s job/lost'), /condition met/);
  const ends = (await podsOf(park, 'lost')).map((pod) => endOf(pod, 'state'));
  assert.deepEqual(
    ends.toSorted((one, other) => (other.exitCode ?? 0) - (one.exitCode ?? 0)),
    [
      { exitCode: 137, reason: 'ContainerStatusUnknown', restarts: 0 },
      { exitCode: 0, reason: 'Completed', restarts: 0 },
    ],
    'one was lost, and its Job made another',
  );
  const again = await park.until('the server runs again', async () => {
    const pod = await serverOn(park, mac);
    return isReady(pod) && (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) > 0 && pod;
  });
  assert.equal(again.metadata.uid, server.metadata.uid);
  assert.deepEqual(endOf(again, 'lastState'), { exitCode: 137, reason: 'ContainerStatusUnknown', restarts: 1 });
  const about = `--field-selector involvedObject.name=${mac.nodeName},reason=Rebooted`;
  await park.until('the Node tells of it', async () => / Rebooted /.test(await park.kubectl(`get events -A ${about}`)));
};

const isDrained = async (park: MacPark): Promise<void> => {
  const [server] = await allServe(park);
  const { nodeName } = park.macOf(server?.spec.nodeName);
  const said = await park.kubectl(`drain ${nodeName} --timeout=80s`);
  assert.match(said, new RegExp(`evicting pod ${park.namespace}/${server?.metadata.name}`));
  assert.match(said, new RegExp(`node/${nodeName} drained`));
  const pods = await allServe(park);
  assert.ok(pods.every(({ spec }) => spec.nodeName !== nodeName));
  assert.match(await park.kubectl(`get node ${nodeName} --no-headers`), /Ready,SchedulingDisabled/);
  await park.kubectl(`uncordon ${nodeName}`);
  const script = 'echo back';
  await park.kubectl('create -f -', renderJob({ name: 'back', fleet: park.fleet, nodeName, script }));
  assert.match(await park.kubectl('wait --for=condition=complete --timeout=80s job/back'), /condition met/);
};

test('three Macs with tart-kubelet', { timeout: 220_000, concurrency: 2 }, async (t) => {
  const park = await openMacPark(t, { macs: MACS });
  const [first, second] = park.macs;
  assert.ok(first && second);
  await t.test('run a Deployment, one Pod each, and are the endpoints of its Service', () => isSpread(park));
  await Promise.all([
    t.test('an endpoint comes and goes with its readiness probe', () => followsProbes(park)),
    t.test('run a Job of three parts, each on its own', () => runsJob(park)),
  ]);
  await Promise.all([
    t.test('one whose agent is killed in the middle shows nothing of it', () => survivesKill(park, first)),
    t.test('one that is restarted tells what was lost, and runs it again', () => survivesReboot(park, second)),
  ]);
  await t.test('have the Deployment rolled', () => isRolled(park));
  await t.test('have a Pod evicted when its budget allows it, and not before', () => isEvicted(park));
  await t.test('one is drained, and comes back', () => isDrained(park));
});
