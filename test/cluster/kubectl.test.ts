/** kubectl, which nobody here wrote, on the embedded control plane: every command that a newcomer tries. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { FLEET_TABLE, parseFleetTable } from './cluster-api/fleet-table.ts';
import { eventually } from './kube/scene.ts';
import {
  type EmbeddedFleet,
  type Newcomer,
  renderPod,
  renderWeb,
  startEmbeddedFleet,
} from './kubectl/embedded-fleet.ts';

const configMap = (data: Readonly<Record<string, string>>) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data },
});

describe('kubectl on the embedded control plane', { timeout: 240_000 }, () => {
  let fleet: EmbeddedFleet;
  before(async () => {
    fleet = await startEmbeddedFleet();
  });
  after(() => fleet?.stop());

  const serveWeb = async (t: TestContext, replicas: number): Promise<Newcomer> => {
    const newcomer = await fleet.newcomer(t);
    await newcomer.kubectl('apply -f -', renderWeb(replicas));
    await newcomer.kubectl('rollout status deployment/web --timeout=30s');
    return newcomer;
  };

  it('apply makes, changes and leaves alone', async (t) => {
    const { kubectl } = await fleet.newcomer(t);
    assert.match(await kubectl('apply -f -', configMap({ a: '1' })), /configmap\/settings created/);
    assert.match(await kubectl('apply -f -', configMap({ a: '1' })), /unchanged/);
    assert.match(await kubectl('apply -f -', configMap({ b: '2' })), /configured/);
    assert.equal(await kubectl('get configmap settings -o jsonpath={.data}'), '{"b":"2"}');
    const strict = await (await fleet.newcomer(t)).run('apply -f -', { ...configMap({}), spce: {} });
    assert.match(strict.stderr, /unknown field "spce"/);
  });

  it('apply --server-side tells who else owns a field, and takes it when told to', async (t) => {
    const { kubectl, run } = await fleet.newcomer(t);
    await kubectl('apply --server-side --field-manager=first -f -', configMap({ a: '1' }));
    const refused = await run('apply --server-side --field-manager=second -f -', configMap({ a: '2' }));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Apply failed with 1 conflict: conflict with "first": \.data\.a/);
    await kubectl('apply --server-side --field-manager=second --force-conflicts -f -', configMap({ a: '2' }));
    assert.equal(await kubectl('get configmap settings -o jsonpath={.data.a}'), '2');
    const managers = await kubectl(
      'get configmap settings --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}',
    );
    assert.equal(managers, 'second', 'who owns nothing any more is not named');
  });

  it('get prints in every way', async (t) => {
    const { kubectl } = await serveWeb(t, 2);
    const outputs: readonly (readonly [string, RegExp])[] = [
      ['get deployments', /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 /],
      ['get deployment web -o wide', /CONTAINERS +IMAGES +SELECTOR\nweb .* main +vm:1 +app=web/],
      ['get deployment web -o yaml', /^kind: Deployment$/m],
      ['get deployment web -o json', /"kind": "Deployment"/],
      ['get deployment web -o name', /^deployment\.apps\/web\n$/],
      ['get deployment web -o jsonpath={.spec.replicas}', /^2$/],
      ['get deployment web -o custom-columns=N:.metadata.name,R:.spec.replicas', /^N +R\nweb +2\n$/],
      ["get deployment web -o 'go-template={{.metadata.name}}'", /^web$/],
      ['get deployment web --show-labels', /app=web/],
      ['get deployment web -L app', / APP\nweb .* web\n$/],
      ['get pods --sort-by=.metadata.name --chunk-size=1 -o name', /^pod\/web-.*\npod\/web-.*\n$/],
      ['get pods --field-selector status.phase=Running -l app=web --no-headers', /^web-.*\nweb-.*\n$/],
      ['get deploy,rs,pods -A', /deployment\.apps\/web/],
      ['get all', /replicaset\.apps\/web-/],
      ['get --raw /version', /"gitVersion"/],
      ['events --for deployment/web', /ScalingReplicaSet/],
      ['get machinedeployments,machines,machosts,nodes -A', /machost\.infrastructure\.cluster\.x-k8s\.io\//],
    ];
    for (const [command, expected] of outputs) assert.match(await kubectl(command), expected, command);
  });

  it('get -w tells what happens', async (t) => {
    const { kubectl, runWhile } = await fleet.newcomer(t);
    await kubectl('apply -f -', configMap({ a: '1' }));
    const seen = await runWhile('get configmaps -w --output-watch-events', async (sees) => {
      await sees(/ADDED +settings/);
      await kubectl('apply -f -', configMap({ a: '2', b: '3' }));
      await kubectl('delete configmap settings');
      await sees(/DELETED +settings/);
    });
    assert.match(seen, /^EVENT +NAME +DATA +AGE\n(.*\n)*MODIFIED +settings +2 /);
  });

  it('explain knows the fields of built-in kinds and of ours', async (t) => {
    const { kubectl } = await fleet.newcomer(t);
    assert.match(await kubectl('explain pod.spec.tolerations.tolerationSeconds'), /FIELD: tolerationSeconds <integer>/);
    assert.match(await kubectl('explain deployment.spec --recursive'), /maxSurge/);
    assert.match(await kubectl('explain machost.spec.claimRef'), /The ScalewayAppleSiliconMachine this host works for/);
  });

  it('describe tells of objects with their events', async (t) => {
    const { kubectl } = await serveWeb(t, 1);
    assert.match(await kubectl('describe deployment web'), /deployment-controller +Scaled up replica set/);
    assert.match(await kubectl('describe pods -l app=web'), /Scheduled .* default-scheduler +Successfully assigned/);
    assert.match(await kubectl('describe nodes'), /ProviderID: +scw-applesilicon:\/\//);
    assert.match(await kubectl('describe machosts'), /Kind: +MacHost/);
  });

  it('wait waits for a condition, a value and an end, and gives up in time', async (t) => {
    const { kubectl, run } = await serveWeb(t, 1);
    await kubectl('wait --for=condition=Available deployment/web --timeout=30s');
    await kubectl('wait --for=jsonpath={.status.readyReplicas}=1 deployment/web --timeout=30s');
    const late = await run('wait --for=condition=Wonder deployment/web --timeout=1s');
    assert.match(late.stderr, /timed out waiting for the condition/);
    await kubectl('delete deployment web --wait=false');
    await kubectl('wait --for=delete pods -l app=web --timeout=30s');
  });

  it('scale and rollout move a Deployment, and back', async (t) => {
    const { kubectl } = await serveWeb(t, 1);
    await kubectl('scale deployment/web --replicas=2');
    await kubectl('rollout status deployment/web --timeout=30s');
    await kubectl('set image deployment/web main=vm:2');
    assert.match(await kubectl('rollout status deployment/web --timeout=30s'), /successfully rolled out/);
    assert.match(await kubectl('rollout history deployment/web'), /\n1 .*\n2 /);
    await kubectl('rollout undo deployment/web');
    await kubectl('rollout status deployment/web --timeout=30s');
    const images = () => kubectl('get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}');
    await eventually('only the first image runs', async () => (await images()) === 'vm:1 vm:1');
    await kubectl('rollout restart deployment/web');
    await kubectl('rollout status deployment/web --timeout=30s');
  });

  it('scale moves a set of Machines, and their Nodes follow', async (t) => {
    const { kubectl } = await fleet.newcomer(t);
    const count = async () => (await kubectl('get nodes -o name')).trim().split('\n').length;
    await kubectl('-n default scale machinedeployment macos --replicas=2');
    await kubectl('-n default wait --for=jsonpath={.status.replicas}=2 machinedeployment/macos --timeout=60s');
    await eventually('two Nodes are left', async () => (await count()) === 2);
    await kubectl('-n default scale machinedeployment macos --replicas=3');
    await kubectl('-n default wait --for=jsonpath={.status.availableReplicas}=3 machinedeployment/macos --timeout=60s');
    assert.match(await kubectl('-n default get machines'), /NAME +CLUSTER +NODE ?NAME .*\nmacos-/i);
  });

  it('cordon, drain, uncordon, taint and label tend a Node', async (t) => {
    const { kubectl, namespace } = await serveWeb(t, 2);
    const where = () => kubectl('get pods -l app=web -o jsonpath={.items[*].spec.nodeName}');
    const [node = ''] = (await where()).split(' ');
    await kubectl(`cordon ${node}`);
    assert.match(await kubectl(`get node ${node}`), /Ready,SchedulingDisabled/);
    assert.match(await kubectl(`drain ${node} --pod-selector app=web --timeout=60s`), /pod\/web-.* evicted/);
    await kubectl('rollout status deployment/web --timeout=60s');
    assert.ok(!(await where()).includes(node), `${namespace} is still on ${node}`);
    await kubectl(`uncordon ${node}`);
    assert.match(await kubectl(`taint nodes ${node} tests=yes:PreferNoSchedule`), /tainted/);
    assert.match(await kubectl(`taint nodes ${node} tests-`), /untainted/);
    await kubectl(`label node ${node} tests.example/zone=a`);
    assert.match(await kubectl('get nodes -l tests.example/zone=a -o name'), new RegExp(node));
    await kubectl(`label node ${node} tests.example/zone-`);
    await kubectl('annotate deployment web note=hello');
  });

  it('drain waits for a disruption budget, and says so', async (t) => {
    const { kubectl, run } = await serveWeb(t, 1);
    await kubectl('create poddisruptionbudget guard --selector=app=web --min-available=1');
    await kubectl('wait --for=jsonpath={.status.expectedPods}=1 pdb/guard --timeout=30s');
    const node = await kubectl('get pods -l app=web -o jsonpath={.items[0].spec.nodeName}');
    const held = await run(`drain ${node} --pod-selector app=web --timeout=1s`);
    assert.notEqual(held.code, 0);
    assert.match(held.stderr, /Cannot evict pod as it would violate the pod's disruption budget/);
    await kubectl('delete pdb guard');
    await kubectl(`drain ${node} --pod-selector app=web --timeout=60s`);
    await kubectl(`uncordon ${node}`);
  });

  it('auth tells who one is and what one may', async (t) => {
    const { kubectl, run } = await fleet.newcomer(t);
    assert.match(await kubectl('auth whoami'), /macfleet-admin/);
    assert.equal(await kubectl('auth can-i create pods'), 'yes\n');
    const scheduler = '--as=system:kube-scheduler';
    assert.equal(await kubectl(`auth can-i create pods --subresource=binding ${scheduler}`), 'yes\n');
    assert.equal((await run(`auth can-i delete nodes ${scheduler}`)).stdout, 'no\n');
    assert.match(
      await kubectl('auth can-i --list --as=system:serviceaccount:kube-system:job-controller'),
      /jobs\.batch/,
    );
    assert.match((await run(`delete node nobody ${scheduler}`)).stderr, /cannot delete resource "nodes"/);
  });

  it('logs come from the agent of the Node', async (t) => {
    const { kubectl, run, runWhile } = await fleet.newcomer(t);
    await kubectl('apply -f -', renderPod('short', 1_200));
    assert.match((await run('logs short')).stderr, /^$|is waiting to start: ContainerCreating/);
    await kubectl('wait --for=jsonpath={.status.phase}=Succeeded pod/short --timeout=30s');
    assert.match(await kubectl('logs short'), /^\$ vm:1\n(running for \d s\n)*ended with code 0\n$/);
    assert.equal(await kubectl('logs short -c main --tail=1'), 'ended with code 0\n');
    assert.match(await kubectl('logs short --timestamps --tail=1'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ended/);
    assert.equal(await kubectl('logs short --limit-bytes=4'), '$ vm');
    assert.match(await kubectl('logs short --since=1h'), /ended/);
    assert.match((await run('logs short --previous')).stderr, /previous terminated container not found/);
    assert.match((await run('logs short -c other')).stderr, /container other is not valid for pod short/);
    await kubectl('apply -f -', renderPod('long', 600_000));
    await kubectl('wait --for=condition=Ready pod/long --timeout=30s');
    const followed = await runWhile('logs long -f', (sees) => sees(/running for 2 s/));
    assert.match(followed, /^\$ vm:1\nrunning for 1 s\n/);
    await kubectl('delete pod long --now');
    const job = { ...renderPod('x').metadata, name: 'work' };
    await kubectl('apply -f -', {
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: job.name } },
      spec: { template: { metadata: { annotations: job.annotations }, spec: renderPod('x').spec } },
    });
    await kubectl('wait --for=condition=Complete job/work --timeout=30s');
    assert.match(await kubectl('logs job/work'), /ended with code 0/);
  });

  it('delete takes what it owns along, at once, later or not at all', async (t) => {
    const { kubectl, run } = await serveWeb(t, 2);
    const names = (kind: string) => kubectl(`get ${kind} -l app=web -o name`);
    await kubectl('delete deployment web --cascade=orphan');
    assert.match(await names('replicasets'), /web-/);
    await kubectl('delete replicasets -l app=web --cascade=foreground');
    assert.equal(await names('pods'), '');
    await kubectl('apply -f -', renderWeb(1));
    await kubectl('rollout status deployment/web --timeout=30s');
    await kubectl('delete -f - --cascade=background --wait=false', renderWeb(1));
    await eventually('its Pods are gone', async () => (await names('pods')) === '');
    for (const name of ['one', 'two', 'three']) await kubectl('apply -f -', renderPod(name, 600_000));
    await kubectl('wait --for=condition=Ready pods --all --timeout=30s');
    await kubectl('delete pod one --now');
    await kubectl('delete pod two --grace-period=0 --force');
    await kubectl('delete pods --all --timeout=30s');
    assert.match((await run('delete pod one')).stderr, /pods "one" not found/);
    await kubectl('delete pod one --ignore-not-found');
    await kubectl('create configmap held');
    await kubectl('patch configmap held --type=merge -p {"metadata":{"finalizers":["tests.example/hold"]}}');
    assert.match((await run('delete configmap held --timeout=1s')).stderr, /timed out waiting for the condition/);
    await kubectl('patch configmap held --type=json -p [{"op":"remove","path":"/metadata/finalizers"}]');
    await kubectl('wait --for=delete configmap/held --timeout=30s');
  });

  it('diff shows what apply would do, and does it not', async (t) => {
    const { kubectl, run } = await fleet.newcomer(t);
    await kubectl('apply -f -', configMap({ a: '1' }));
    assert.equal((await run('diff -f -', configMap({ a: '1' }))).code, 0);
    for (const way of ['diff -f -', 'diff --server-side --force-conflicts -f -']) {
      const { code, stdout } = await run(way, configMap({ a: '2' }));
      assert.equal(code, 1, way);
      assert.match(stdout, /^- {2}a: "1"\n\+ {2}a: "2"$/m);
    }
    assert.equal(await kubectl('get configmap settings -o jsonpath={.data.a}'), '1');
  });

  it('create, patch, replace and edit by flag work as well', async (t) => {
    const { kubectl } = await fleet.newcomer(t);
    await kubectl('create configmap settings --from-literal=a=1');
    await kubectl('patch configmap settings -p {"data":{"b":"2"}}');
    await kubectl('label configmap settings team=a');
    assert.match(await kubectl('create configmap other --dry-run=server -o yaml'), /uid: /);
    await kubectl('replace -f -', configMap({ c: '3' }));
    assert.equal(await kubectl('get configmap settings -o jsonpath={.data}{.metadata.labels}'), '{"c":"3"}');
    await kubectl('create serviceaccount robot');
    assert.match(await kubectl('create token robot'), /^[\w-]+\.[\w-]+\.[\w-]+\n?$/);
    await kubectl('create namespace gone-soon-with-its-things');
    await kubectl('delete namespace gone-soon-with-its-things --timeout=60s');
  });

  it('api-resources, api-versions and version know what is here', async (t) => {
    const { kubectl } = await fleet.newcomer(t);
    const resources = await kubectl('api-resources');
    for (const kind of ['Pod', 'Deployment', 'Job', 'MachineDeployment', 'MacHost']) {
      assert.match(resources, new RegExp(`(true|false) +${kind}\n`), kind);
    }
    assert.match(await kubectl('api-resources --api-group=cluster.x-k8s.io -o name'), /machines\.cluster\.x-k8s\.io/);
    assert.match(await kubectl('api-versions'), /^apps\/v1$/m);
    assert.match(await kubectl('version'), /Server Version: v1\.36/);
  });

  it('get machosts,samm -A -o wide tells what each Mac does, since when, and what it waits for', async (t) => {
    const { kubectl } = await fleet.newcomer(t);
    const scale = (replicas: number) => kubectl(`scale machinedeployment macos -n default --replicas=${replicas}`);
    t.after(() => scale(3));
    await scale(4);
    const { hosts, machines } = await eventually('a machine waits for a Mac', async () => {
      const table = parseFleetTable(await kubectl(FLEET_TABLE.join(' ')));
      return table.machines.some((row) => row['WAITS FOR'] !== '') ? table : undefined;
    });
    assert.deepEqual(
      hosts.map((row) => [row['STATE'], row['WAITS FOR'], row['CLAIMED BY'] !== '']),
      hosts.map(() => ['joined', '', true]),
    );
    const told = [...hosts, ...machines].filter((row) => /^\d+[smh]/.test(row['SINCE'] ?? ''));
    assert.equal(told.length, hosts.length + machines.length, 'since when');
    const [waiting, ...others] = machines.filter((row) => row['WAITS FOR'] !== '');
    assert.match(waiting?.['WAITS FOR'] ?? '', /^All 3 Macs of type M2-L, .* are in use/);
    assert.deepEqual([waiting?.['PHASE'], waiting?.['HOST'], others], ['Pending', '', []]);
  });

  const unsupported: readonly (readonly [string, string, RegExp])[] = [
    ['apps/v1', 'DaemonSet', /does not support the kind DaemonSet: run a Deployment or Jobs with a nodeSelector/],
    ['cluster.x-k8s.io/v1beta2', 'ClusterClass', /does not support the kind ClusterClass: write the Cluster/],
    ['v1', 'Service', /does not support the kind Service: there is no network between Pods here/],
  ];
  for (const [apiVersion, kind, expected] of unsupported) {
    it(`a ${kind} is refused in words that a newcomer understands`, async (t) => {
      const { run } = await fleet.newcomer(t);
      const object = { apiVersion, kind, metadata: { name: 'x' }, spec: {} };
      for (const way of ['apply', 'apply --server-side', 'create']) {
        const { code, stderr } = await run(`${way} --validate=false -f -`, object);
        assert.equal(code, 1);
        assert.match(stderr, expected, way);
        assert.match(stderr, /It is for trying and testing; on a real cluster/);
      }
      assert.match((await run(`get ${kind}`)).stderr, expected);
    });
  }
});
