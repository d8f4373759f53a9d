/** Adapter: the manifests in `examples/`, which `up` applies as anybody would with kubectl; only how many Macs there are is its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { DEPLOYMENTS } from '../../controlplane/core/workloads/replicated.ts';
import { CLUSTERS } from '../../kinds/cluster.ts';
import { CONTROL_PLANES } from '../../kinds/control-plane.ts';
import { MACHINE_TEMPLATES } from '../../kinds/machine-template.ts';
import { RUNNER_POOLS } from '../../kinds/runner-pool.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../kube/types/resource.ts';
import { DEMO_NAMESPACE, type DemoObject } from '../../world/demo-fleet.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'examples');

const KINDS: readonly Resource<KubeObject>[] = [
  ...[CLUSTERS, CONTROL_PLANES, MACHINE_TEMPLATES, RUNNER_POOLS, DEPLOYMENTS, JOBS],
  ...[CLUSTER_API_RESOURCES.clusters, CLUSTER_API_RESOURCES.machineDeployments],
];

/** The objects of `examples/<name>.yaml`, in their order. Those that name no namespace are in that of `up`. */
export const readExample = (name: string): readonly DemoObject[] =>
  parseExample(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'), name);

export const parseExample = (text: string, name: string): readonly DemoObject[] =>
  parseAllDocuments(text).map((document) => parseDemo(document.toJS(), name));

const parseDemo = (parsed: unknown, file: string): DemoObject => {
  const resource = KINDS.find(
    (kind) => isRecord(parsed) && parsed['kind'] === kind.kind && parsed['apiVersion'] === apiVersionOf(kind),
  );
  if (resource === undefined) throw unknownKind(file);
  const object = parsed as KubeObject;
  return { resource, object: { ...object, metadata: { namespace: DEMO_NAMESPACE, ...object.metadata } } };
};

const unknownKind = (file: string): FleetError =>
  new FleetError('bug', {
    code: 'UnknownExample',
    message: `examples/${file}.yaml holds a kind that up does not know`,
  });
