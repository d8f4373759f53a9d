/** All that must not change when releases come and go: Machines, the Mac and its Node, what works on it, and what core sees it by. */
import { neverAborted } from '../../../src/base/abort.ts';
import { SECRETS } from '../../../src/kube/types/core.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import { type ChartScene, RUNNERS_NAMESPACE } from '../chart/chart-scene.ts';
import type { FleetView } from '../cluster-api/fleet-view.ts';
import { CLUSTER, FULLNAME, KUBECONFIG } from './original-release.ts';

const signal = neverAborted();
/** Of the original's chart, besides what a view shows. */
const KEPT = [`cluster/${CLUSTER}`, `secret/${FULLNAME}-noop-bootstrap`, `configmap/${FULLNAME}-server`];

export const lookAround = async (scene: ChartScene, view: FleetView, podName: string) => {
  const { client, namespace, lab } = scene;
  const uidsOf = async (...what: readonly string[]): Promise<string> =>
    scene.kubectl('get', ...what, '-o', 'custom-columns=:.metadata.uid', '--no-headers');
  const machines = view.machines.list().filter(isStaying);
  const pod = view.pods.get(`${namespace}/${podName}`);
  const kubeconfig = await client.get(SECRETS, { namespace, name: KUBECONFIG }, { signal });
  return {
    machines: machines.map(({ metadata, spec, status }) => [metadata.uid, spec.providerID, status?.nodeRef?.name]),
    infra: view.infraMachines
      .list()
      .filter(isStaying)
      .map(({ metadata, spec, status }) => [metadata.uid, spec.providerID, status?.serverID, status?.addresses]),
    nodes: machines.map(({ metadata }) => view.nodes.get(metadata.name)?.metadata.uid),
    pod: [pod?.metadata.uid, pod?.status?.phase, pod?.status?.containerStatuses?.map(({ containerID }) => containerID)],
    fleets: view.deployments
      .list()
      .map(({ metadata, spec }) => [metadata.name, metadata.uid, spec.replicas])
      .toSorted(),
    kubeconfig: [
      kubeconfig.metadata.uid,
      kubeconfig.data?.['value'],
      await answerTo(scene, kubeconfig.data?.['value']),
    ],
    rest: await uidsOf(...KEPT),
    pools: await uidsOf('runnerpools', '-n', RUNNERS_NAMESPACE),
    servers: lab.cloud.servers().map((server) => [server.id, server.name, server.wipes]),
    writes: lab.cloud.audit().length,
  };
};

const isStaying = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

/** Whether core may still look at Nodes with it. */
const answerTo = async ({ cluster }: ChartScene, value = ''): Promise<string> => {
  const script = 'kubectl --kubeconfig <(base64 -d <<<"$VALUE") auth can-i list nodes';
  return (await cluster.script(script, { env: { VALUE: value } })).stdout.trim();
};
