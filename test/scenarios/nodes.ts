/** Stories of Nodes: drained, dead, and back. */
import assert from 'node:assert/strict';
import { DEPLOYMENTS } from '../../src/controlplane/core/workloads/replicated.ts';
import { NODES, type Node, PODS } from '../../src/kube/types/core.ts';
import { conditionOf, FOR_MACS, type Scenario, type ScenarioApi } from './scenario.ts';
import { renderDeployment, tellDeployment, untilServed, webOf } from './workloads.ts';

/** The Nodes that serve, by name. */
const placesOf = async (api: ScenarioApi): Promise<readonly string[]> =>
  (await api.list(PODS, api.namespace))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec.nodeName ?? '');

/** Taints by which Kubernetes says what is wrong with a Node. */
const troublesOf = (node: Node | undefined): readonly string[] =>
  (node?.spec?.taints ?? []).flatMap(({ key }) => (key.startsWith('node.kubernetes.io/') ? [key] : []));

const drain: Scenario = {
  name: 'drain a Node',
  needs: 'nodes',
  run: async (api) => {
    await api.create(DEPLOYMENTS, renderDeployment(api, 3));
    await untilServed(api, 3);
    const [name] = await placesOf(api);
    assert.ok(name);
    await api.patch(NODES, { name }, { spec: { unschedulable: true } });
    for (const { metadata, spec } of await api.list(PODS, api.namespace)) {
      if (spec.nodeName === name) await api.evict({ namespace: api.namespace, name: metadata.name });
    }
    await api.until('nobody is left there', async () => !(await placesOf(api)).includes(name));
    await untilServed(api, 3);
    await api.until('the Node says why', async () => troublesOf(await api.get(NODES, { name })).length > 0);
    const cordoned = troublesOf(await api.get(NODES, { name }));
    await api.patch(NODES, { name }, { spec: { unschedulable: null } });
    await api.until('it takes Pods again', async () => troublesOf(await api.get(NODES, { name })).length === 0);
    return { cordoned, ...(await tellDeployment(api)) };
  },
};

const death: Scenario = {
  name: 'a Node dies and comes back',
  needs: 'nodes',
  losesNodes: true,
  run: async (api) => {
    const deployment = renderDeployment(api, 3);
    const tolerations = ['unreachable', 'not-ready'].map((key) => ({
      ...{ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 },
    }));
    const pod = { ...deployment.spec.template.spec, tolerations: [FOR_MACS, ...tolerations] };
    const template = { ...deployment.spec.template, spec: pod };
    await api.create(DEPLOYMENTS, { ...deployment, spec: { ...deployment.spec, template } });
    await untilServed(api, 3);
    const [name] = await placesOf(api);
    assert.ok(name);
    api.stopNode(name);
    await api.until(
      'nobody hears of it',
      async () => conditionOf(await api.get(NODES, { name }), 'Ready') === 'Unknown',
    );
    const silent = (await api.get(NODES, { name }))?.status?.conditions
      ?.map(({ type, status }) => `${type}=${status}`)
      .sort();
    await api.until('its Pods are made anew elsewhere', async () => {
      const deploymentNow = await api.get(DEPLOYMENTS, webOf(api));
      return deploymentNow?.status?.availableReplicas === 3 && !(await placesOf(api)).includes(name);
    });
    api.startNode(name);
    await api.until('it is back', async () => {
      const node = await api.get(NODES, { name });
      return conditionOf(node, 'Ready') === 'True' && troublesOf(node).length === 0;
    });
    await untilServed(api, 3);
    return { silent, ...(await tellDeployment(api)) };
  },
};

export const NODE_SCENARIOS: readonly Scenario[] = [drain, death];
