/**
 * The kinds of an infrastructure provider and the Cluster that uses them, and a provider for which every machine is there
 * at once: it answers a new infrastructure machine with a provider id, a status and a Node. It asks over HTTPS, so it works
 * the same on both control planes.
 */
import { readFileSync } from 'node:fs';
import { messageOf } from '../../src/base/errors.ts';
import {
  CLUSTER,
  CONTROL_PLANES,
  FLEET,
  INFRASTRUCTURE_CLUSTERS,
  MACHINE_DEPLOYMENTS,
  renderDefinition,
  renderDeployment,
  TEMPLATES,
} from '../../src/controlplane/capi/testing/fleet-objects.ts';
import { INFRASTRUCTURE_MACHINES } from '../../src/controlplane/capi/testing/scripted-provider.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../src/kube/types/resource.ts';
import { renderRemoteKubeconfig } from '../../test/cluster/cluster-api/fleet-objects.ts';
import { NODES, readyNode } from './objects.ts';
import type { Requests } from './requests.ts';
import { until } from './until.ts';

const NAMESPACE = 'default';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KINDS = [INFRASTRUCTURE_MACHINES, TEMPLATES, INFRASTRUCTURE_CLUSTERS, CONTROL_PLANES];

/** The path of that kind's objects in the namespace that everything is in. */
export const pathOf = (resource: Resource<KubeObject>): string =>
  `/apis/${apiVersionOf(resource)}/namespaces/${NAMESPACE}/${resource.plural}`;

export const DEPLOYMENT = `${pathOf(MACHINE_DEPLOYMENTS)}/macs`;

/** A Cluster with a MachineDeployment of one, and the provider at work. */
export const openFleet = async (requests: Requests, kubeconfigFile: string): Promise<void> => {
  for (const kind of KINDS) await requests.send('POST', DEFINITIONS, JSON.stringify(renderDefinition(kind)));
  for (const kind of KINDS) await until(`${kind.plural} to be served`, () => isServed(requests, pathOf(kind)));
  const kubeconfig = renderRemoteKubeconfig(NAMESPACE, readFileSync(kubeconfigFile, 'utf8'), CLUSTER.metadata.name);
  await requests.send('POST', `/api/v1/namespaces/${NAMESPACE}/secrets`, JSON.stringify(kubeconfig));
  for (const [resource, object] of FLEET) await create(requests, resource, object);
  const provided = new Set<string>();
  await requests.watch(`${pathOf(INFRASTRUCTURE_MACHINES)}?watch=1`, ({ type, object: { metadata } }) => {
    if (type !== 'ADDED' || provided.has(metadata.name)) return;
    provided.add(metadata.name);
    provide(requests, metadata.name).catch(reportMissing);
  });
  await create(requests, MACHINE_DEPLOYMENTS, renderDeployment(1));
};

/** The measurement then never ends by itself; this says why. */
const reportMissing = (error: unknown): void =>
  void process.stderr.write(`a machine is missing: ${messageOf(error)}\n`);

const isServed = (requests: Requests, path: string): Promise<boolean> =>
  requests.send('GET', path).then(
    () => true,
    () => false,
  );

const create = async (
  requests: Requests,
  resource: Resource<KubeObject>,
  { status, ...object }: KubeObject & { readonly status?: object },
): Promise<void> => {
  const { name } = object.metadata;
  const type = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const body = { ...type, ...object, metadata: { namespace: NAMESPACE, name } };
  await requests.send('POST', pathOf(resource), JSON.stringify(body));
  if (status === undefined) return;
  await requests.send('PATCH', `${pathOf(resource)}/${name}/status`, JSON.stringify({ status }));
};

const provide = async (requests: Requests, name: string): Promise<void> => {
  const path = `${pathOf(INFRASTRUCTURE_MACHINES)}/${name}`;
  const providerID = `scripted://${name}`;
  await requests.send('POST', NODES, readyNode(name, { providerID }));
  await requests.send('PATCH', path, JSON.stringify({ spec: { providerID } }));
  await requests.send('PATCH', `${path}/status`, JSON.stringify({ status: { initialization: { provisioned: true } } }));
};
