/** Stories of Deployments, Jobs, budgets and namespaces. */
import assert from 'node:assert/strict';
import type { EndingNamespace } from '../../src/controlplane/core/namespaces/namespace-controller.ts';
import { JOBS, type Job } from '../../src/controlplane/core/workloads/job.ts';
import {
  DEPLOYMENTS,
  type Deployment,
  POD_DISRUPTION_BUDGETS,
  REPLICA_SETS,
} from '../../src/controlplane/core/workloads/replicated.ts';
import { CONFIG_MAPS, NAMESPACES as PLAIN_NAMESPACES, PODS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import { SCRIPT_ANNOTATION } from '../../src/sim/node/pod-script.ts';
import { conditionOf, FOR_MACS, type Scenario, type ScenarioApi, tellConditions } from './scenario.ts';

/** With the conditions that tell of its end. */
const NAMESPACES: Resource<EndingNamespace> = PLAIN_NAMESPACES;
export const webOf = ({ namespace }: ScenarioApi) => ({ namespace, name: 'web' });
const LABELS = { app: 'web' };

export const renderDeployment = (api: ScenarioApi, replicas: number, image = 'one'): Deployment => ({
  metadata: webOf(api),
  spec: {
    replicas,
    selector: { matchLabels: LABELS },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: LABELS },
      spec: {
        nodeSelector: api.nodeSelector,
        terminationGracePeriodSeconds: 2,
        tolerations: [FOR_MACS],
        containers: [{ name: 'main', image }],
      },
    },
  },
});

export const untilServed = (api: ScenarioApi, replicas: number): Promise<void> =>
  api.until(`${replicas} Pods serve`, async () => {
    const deployment = await api.get(DEPLOYMENTS, webOf(api));
    const { status } = deployment ?? {};
    return (
      status?.availableReplicas === replicas &&
      status.updatedReplicas === replicas &&
      status.replicas === replicas &&
      status.terminatingReplicas === 0 &&
      status.observedGeneration === deployment?.metadata.generation &&
      (await api.list(PODS, api.namespace)).length === replicas
    );
  });

/** Every number but the generation. */
const tellCounts = (status: object | undefined): string =>
  Object.entries(status ?? {})
    .flatMap(([name, value]) =>
      typeof value === 'number' && name !== 'observedGeneration' ? [`${name} ${value}`] : [],
    )
    .sort()
    .join(', ');

export const tellDeployment = async (api: ScenarioApi): Promise<object> => {
  const deployment = await api.get(DEPLOYMENTS, webOf(api));
  const pods = await api.list(PODS, api.namespace);
  const sets = await api.list(REPLICA_SETS, api.namespace);
  return {
    counts: tellCounts(deployment?.status),
    conditions: tellConditions(deployment?.status?.conditions),
    sets: sets.map(({ status }) => tellCounts(status)).sort(),
    labels: pods.map(({ metadata }) => Object.keys(metadata.labels ?? {}).sort()),
    images: pods.map(({ spec }) => spec.containers[0]?.image).sort(),
    phases: pods.map(({ status }) => status?.phase).sort(),
    revisions: sets
      .map(({ metadata, spec }) => `${metadata.annotations?.['deployment.kubernetes.io/revision']}:${spec.replicas}`)
      .sort(),
  };
};

const deploy: Scenario = {
  name: 'deploy, roll, go back',
  needs: 'nodes',
  run: async (api) => {
    await api.create(DEPLOYMENTS, renderDeployment(api, 3));
    await untilServed(api, 3);
    await api.patch(DEPLOYMENTS, webOf(api), { spec: { template: renderDeployment(api, 3, 'two').spec.template } });
    await untilServed(api, 3);
    const rolled = await tellDeployment(api);
    await api.patch(DEPLOYMENTS, webOf(api), { spec: { template: renderDeployment(api, 3, 'one').spec.template } });
    await untilServed(api, 3);
    return { rolled, back: await tellDeployment(api) };
  },
};

const scale: Scenario = {
  name: 'scale up and down',
  needs: 'nodes',
  run: async (api) => {
    await api.create(DEPLOYMENTS, renderDeployment(api, 1));
    for (const replicas of [1, 5, 2]) {
      await api.patch(DEPLOYMENTS, webOf(api), { spec: { replicas } });
      await untilServed(api, replicas);
    }
    return tellDeployment(api);
  },
};

const evict: Scenario = {
  name: 'evict within a budget',
  needs: 'nodes',
  run: async (api) => {
    await api.create(DEPLOYMENTS, renderDeployment(api, 2));
    await untilServed(api, 2);
    const budget = webOf(api);
    await api.create(POD_DISRUPTION_BUDGETS, {
      metadata: budget,
      spec: { minAvailable: 2, selector: { matchLabels: LABELS } },
    });
    const allowed = async () => (await api.get(POD_DISRUPTION_BUDGETS, budget))?.status;
    await api.until('the budget is counted', async () => (await allowed())?.currentHealthy === 2);
    const [first] = await api.list(PODS, api.namespace);
    assert.ok(first);
    const key = { namespace: api.namespace, name: first.metadata.name };
    const refused = await api.evict(key);
    await api.patch(POD_DISRUPTION_BUDGETS, budget, { spec: { minAvailable: 1 } });
    await api.until('one may go', async () => (await allowed())?.disruptionsAllowed === 1);
    const evicted = await api.evict(key);
    await api.until('it is gone', async () => (await api.get(PODS, key)) === undefined);
    await untilServed(api, 2);
    await api.until('the budget is whole', async () => (await allowed())?.disruptionsAllowed === 1);
    return {
      refused,
      evicted,
      counts: tellCounts(await allowed()),
      conditions: tellConditions((await allowed())?.conditions),
    };
  },
};

const renderJob = (api: ScenarioApi, spec: Partial<Job['spec']>, script: object): Omit<Job, 'metadata'> => ({
  spec: {
    ...spec,
    template: {
      metadata: { annotations: { [SCRIPT_ANNOTATION]: JSON.stringify(script) } },
      spec: {
        nodeSelector: api.nodeSelector,
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        tolerations: [FOR_MACS],
        containers: [{ name: 'main', image: 'vm' }],
      },
    },
  },
});

const jobs: Scenario = {
  name: 'Jobs that succeed, fail, take too long, sleep and vanish',
  needs: 'nodes',
  run: async (api) => {
    const start = (name: string, job: Omit<Job, 'metadata'>) =>
      api.create(JOBS, { metadata: { namespace: api.namespace, name }, ...job });
    const quick = { startMs: 100, runMs: 500 };
    await start('good', renderJob(api, { completions: 3, parallelism: 2 }, quick));
    await start('bad', renderJob(api, { backoffLimit: 1 }, { ...quick, exitCode: 1 }));
    await start('slow', renderJob(api, { activeDeadlineSeconds: 5 }, { startMs: 100, runMs: 600_000 }));
    await start('asleep', renderJob(api, { suspend: true }, quick));
    await start('gone', renderJob(api, { ttlSecondsAfterFinished: 1 }, quick));
    const tell = async (name: string) => {
      const job = await api.get(JOBS, { namespace: api.namespace, name });
      return { counts: tellCounts(job?.status), conditions: tellConditions(job?.status?.conditions) };
    };
    for (const name of ['good', 'bad', 'slow']) {
      await api.until(`${name} is over`, async () => {
        const job = await api.get(JOBS, { namespace: api.namespace, name });
        return conditionOf(job, 'Complete') === 'True' || conditionOf(job, 'Failed') === 'True';
      });
    }
    await api.until(
      'the last is deleted',
      async () => (await api.get(JOBS, { namespace: api.namespace, name: 'gone' })) === undefined,
    );
    const isOf =
      (name: string) =>
      ({ metadata }: Pod) =>
        metadata.labels?.['batch.kubernetes.io/job-name'] === name;
    const asleep = (await api.list(PODS, api.namespace)).filter(isOf('asleep')).length;
    return {
      good: await tell('good'),
      bad: await tell('bad'),
      slow: await tell('slow'),
      sleeping: await tell('asleep'),
      asleep,
    };
  },
};

const namespaces: Scenario = {
  name: 'the end of a namespace, which somebody holds up',
  needs: 'nodes',
  run: async (api) => {
    const name = `${api.namespace}-ending`;
    await api.create(NAMESPACES, { metadata: { name } });
    await api.create(DEPLOYMENTS, { ...renderDeployment(api, 2), metadata: { namespace: name, name: 'web' } });
    const held = { namespace: name, name: 'held' };
    await api.create(CONFIG_MAPS, { metadata: { ...held, finalizers: ['scenario.dev/hold'] }, data: {} });
    await api.until(
      'its Pods run',
      async () => (await api.list(PODS, name)).filter(({ status }) => status?.phase === 'Running').length === 2,
    );
    await api.delete(NAMESPACES, { name });
    await api.until('only what is held is left', async () => {
      const left = [
        ...(await api.list(PODS, name)),
        ...(await api.list(DEPLOYMENTS, name)),
        ...(await api.list(REPLICA_SETS, name)),
      ];
      const ending = await api.get(NAMESPACES, { name });
      const isTold = conditionOf(ending, 'NamespaceFinalizersRemaining') === 'True';
      return left.length === 0 && isTold && conditionOf(ending, 'NamespaceDeletionDiscoveryFailure') === 'False';
    });
    const conditions = tellConditions((await api.get(NAMESPACES, { name }))?.status?.conditions);
    await api.patch(CONFIG_MAPS, held, { metadata: { finalizers: null } });
    await api.until('it is gone', async () => (await api.get(NAMESPACES, { name })) === undefined);
    return { conditions };
  },
};

const podsFirst: Scenario = {
  name: 'the end of a namespace waits for its Pods before anything else goes',
  needs: 'nodes',
  fleeting: true,
  run: async (api) => {
    const namespace = `${api.namespace}-ending-slowly`;
    await api.create(NAMESPACES, { metadata: { name: namespace } });
    await api.create(CONFIG_MAPS, { metadata: { namespace, name: 'needed' }, data: {} });
    const running = { startMs: 100, runMs: 600_000 };
    await api.create(JOBS, { metadata: { namespace, name: 'work' }, ...renderJob(api, { parallelism: 2 }, running) });
    const untilRunning = (count: number) =>
      api.until(`${count} Pods run`, async () => {
        const pods = await api.list(PODS, namespace);
        return pods.filter(({ status }) => status?.phase === 'Running').length === count;
      });
    await untilRunning(2);
    const held = { namespace, name: 'held' };
    const { spec } = renderJob(api, {}, running).spec.template;
    await api.create(PODS, { metadata: { ...held, finalizers: ['scenario.dev/hold'] }, spec });
    await untilRunning(3);
    await api.delete(NAMESPACES, { name: namespace });
    await api.until('the Pod that is held is the last', async () => {
      const pods = await api.list(PODS, namespace);
      return pods.map(({ metadata }) => metadata.name).join() === held.name;
    });
    const needed = await api.get(CONFIG_MAPS, { namespace, name: 'needed' });
    const job = await api.get(JOBS, { namespace, name: 'work' });
    await api.patch(PODS, held, { metadata: { finalizers: null } });
    await api.until('it is gone', async () => (await api.get(NAMESPACES, { name: namespace })) === undefined);
    return { left: [needed, job].map((object) => object?.metadata.deletionTimestamp === undefined) };
  },
};

export const WORKLOAD_SCENARIOS: readonly Scenario[] = [deploy, scale, evict, jobs, namespaces, podsFirst];
