import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../../base/errors.ts';
import { CLUSTER_API_RESOURCES } from '../../../kube/types/cluster-api.ts';
import { NODES, SECRETS } from '../../../kube/types/core.ts';
import { readyNode, startCluster } from '../../core/testing/cluster.ts';
import { createCapiControllers } from '../capi-controllers.ts';
import { CLUSTER, CLUSTERS, FLEET, MACHINE_DEPLOYMENTS, renderDeployment } from '../testing/fleet-objects.ts';
import { KUBECONFIG } from '../testing/remote.ts';
import { INFRASTRUCTURE_MACHINES } from '../testing/scripted-provider.ts';

const { machines: MACHINES } = CLUSTER_API_RESOURCES;
const WELL = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' as const }));
const PROBE_MS = 10_000;

const startFleet = async (replicas = 1) => {
  const opened: string[] = [];
  let closed = 0;
  let trouble: FleetError | undefined;
  const cluster = startCluster((deps) =>
    createCapiControllers({
      ...deps,
      openRemote: async (kubeconfig) => {
        opened.push(kubeconfig.reveal());
        if (kubeconfig.reveal() === 'bad') throw new FleetError('invalid', { code: 'Bad', message: 'no kubeconfig' });
        const getRaw: typeof deps.client.getRaw = async () => {
          if (trouble !== undefined) throw trouble;
        };
        return {
          client: { ...deps.client, getRaw },
          close: async () => {
            closed += 1;
          },
        };
      },
    }),
  );
  for (const [resource, object] of FLEET) await cluster.create(resource, object);
  await cluster.create(MACHINE_DEPLOYMENTS, renderDeployment(replicas));
  for (const [at, { metadata }] of (await cluster.all(MACHINES)).entries()) {
    const key = { namespace: 'ns', name: metadata.name };
    await cluster.patch(INFRASTRUCTURE_MACHINES, key, { spec: { providerID: `p://${at}` } });
    await cluster.patchStatus(INFRASTRUCTURE_MACHINES, key, { initialization: { provisioned: true } });
    const conditions = [{ type: 'Ready', status: 'True' as const }, ...WELL];
    await cluster.create(NODES, readyNode(`n${at}`, { spec: { providerID: `p://${at}` }, status: { conditions } }));
  }
  const told = async (resource: typeof CLUSTERS | typeof MACHINES, type: string) => {
    const [object] = await cluster.all(resource);
    const found = object?.status?.conditions?.find((condition) => condition.type === type);
    return { is: `${found?.status} ${found?.reason}`, message: found?.message ?? '' };
  };
  const probe = () => told(CLUSTERS, 'RemoteConnectionProbe');
  const nodeReady = () => told(MACHINES, 'NodeReady');
  const bound = async () => (await cluster.all(MACHINES)).map(({ status }) => status?.nodeRef?.name).sort();
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += PROBE_MS) {
      await cluster.advance(PROBE_MS);
      await cluster.settle();
    }
  };
  const write = async (value: string) => {
    const data = { value: Buffer.from(value).toString('base64') };
    const isThere = (await cluster.all(SECRETS)).length > 0;
    if (isThere) await cluster.patch(SECRETS, KUBECONFIG.metadata, { data });
    else await cluster.create(SECRETS, { ...KUBECONFIG, data });
  };
  const fail = (error: FleetError | undefined): void => {
    trouble = error;
  };
  return { ...cluster, opened, closings: () => closed, probe, nodeReady, bound, pass, write, fail };
};

const unavailable = (): FleetError => new FleetError('unavailable', { code: 'Down', message: 'nobody answers' });

describe('the cluster that the Machines of a Cluster join', () => {
  it('is reached by the Secret of the Cluster: without it nothing is bound, and Cluster and Machine say why', async () => {
    const fleet = await startFleet();
    const why = /Remote connection not established yet: there is no Secret ns\/fleet-kubeconfig/;
    assert.equal((await fleet.probe()).is, 'False ProbeFailed');
    assert.match((await fleet.probe()).message, why);
    assert.equal((await fleet.nodeReady()).is, 'Unknown ConnectionDown');
    assert.match((await fleet.nodeReady()).message, why);
    assert.deepEqual(await fleet.bound(), [undefined]);
    await fleet.write('good');
    assert.equal((await fleet.probe()).is, 'True ProbeSucceeded');
    assert.equal((await fleet.nodeReady()).is, 'True NodeReady');
    assert.deepEqual(await fleet.bound(), ['n0']);
    await fleet.end();
    assert.deepEqual(fleet.problems, []);
  });

  it('is connected to once, however many Machines there are, and left when the controllers stop', async () => {
    const fleet = await startFleet(3);
    await fleet.write('good');
    await fleet.pass(60_000);
    assert.deepEqual(await fleet.bound(), ['n0', 'n1', 'n2']);
    assert.deepEqual(fleet.opened, ['good']);
    await fleet.end();
    assert.equal(fleet.closings(), 1);
  });

  it('is connected to anew when the kubeconfig changes, and not when only its Secret does', async () => {
    const fleet = await startFleet();
    await fleet.write('good');
    await fleet.patch(SECRETS, KUBECONFIG.metadata, { metadata: { annotations: { seen: 'yes' } } });
    assert.deepEqual(fleet.opened, ['good']);
    await fleet.write('better');
    assert.deepEqual(fleet.opened, ['good', 'better']);
    assert.equal(fleet.closings(), 1);
    assert.equal((await fleet.nodeReady()).is, 'True NodeReady');
    await fleet.end();
  });

  it('is left when the Cluster goes', async () => {
    const fleet = await startFleet(0);
    await fleet.write('good');
    await fleet.remove(CLUSTERS, CLUSTER.metadata);
    assert.deepEqual(await fleet.all(CLUSTERS), []);
    assert.equal(fleet.closings(), 1);
    await fleet.end();
  });

  it('is tried again with a kubeconfig that could not be used, and says why', async () => {
    const fleet = await startFleet();
    await fleet.write('bad');
    assert.match(
      (await fleet.probe()).message,
      /the kubeconfig in Secret ns\/fleet-kubeconfig cannot be used: no kubeconfig/,
    );
    await fleet.pass(PROBE_MS);
    assert.deepEqual(fleet.opened, ['bad', 'bad']);
    await fleet.write('good');
    assert.equal((await fleet.probe()).is, 'True ProbeSucceeded');
    await fleet.end();
  });

  it('that does not let us in is told at once what it said', async () => {
    const fleet = await startFleet();
    fleet.fail(new FleetError('denied', { code: 'Forbidden', message: 'nodes is forbidden' }));
    await fleet.write('good');
    assert.match((await fleet.probe()).message, /does not work: nodes is forbidden/);
    assert.equal(fleet.closings(), 1);
    fleet.fail(undefined);
    await fleet.pass(PROBE_MS);
    assert.equal((await fleet.probe()).is, 'True ProbeSucceeded');
    await fleet.end();
  });

  it('that falls silent is believed to be as it was for five minutes, then Machines say that nobody knows', async () => {
    const fleet = await startFleet();
    await fleet.write('good');
    fleet.fail(unavailable());
    await fleet.pass(40_000);
    assert.equal((await fleet.probe()).is, 'True ProbeSucceeded', 'a short silence is no news');
    await fleet.pass(60_000);
    assert.equal((await fleet.probe()).is, 'False ProbeFailed');
    assert.match((await fleet.probe()).message, /probe last succeeded at .*: .*nobody answers/);
    assert.equal((await fleet.nodeReady()).is, 'True NodeReady');
    await fleet.pass(240_000);
    assert.equal((await fleet.nodeReady()).is, 'Unknown ConnectionDown');
    fleet.fail(undefined);
    await fleet.pass(PROBE_MS);
    assert.equal((await fleet.nodeReady()).is, 'True NodeReady');
    await fleet.end();
  });

  it('that is silent holds up the end of a Machine only as long as that says', async () => {
    const fleet = await startFleet();
    await fleet.write('good');
    const [machine] = await fleet.all(MACHINES);
    const key = { namespace: 'ns', name: machine?.metadata.name ?? '' };
    const deletion = { nodeDrainTimeoutSeconds: 200, nodeDeletionTimeoutSeconds: 400 };
    await fleet.patch(MACHINES, key, { spec: { deletion } });
    fleet.fail(unavailable());
    await fleet.pass(60_000);
    await fleet.patch(MACHINE_DEPLOYMENTS, { namespace: 'ns', name: 'macs' }, { spec: { replicas: 0 } });
    await fleet.pass(PROBE_MS);
    const deleting = async () =>
      (await fleet.all(MACHINES))[0]?.status?.conditions?.find(({ type }) => type === 'Deleting');
    assert.equal((await deleting())?.reason, 'DrainingNode');
    assert.match((await deleting())?.message ?? '', /the cluster of the Node cannot be reached: .*nobody answers/);
    await fleet.pass(210_000);
    assert.equal((await deleting())?.reason, 'DeletingNode');
    await fleet.pass(200_000);
    assert.deepEqual(await fleet.all(MACHINES), []);
    await fleet.end();
  });
});
