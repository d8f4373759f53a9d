/** The chart's Deployments, bindings and definitions, from the objects that plain manifests have too. */
import { type Purpose, REMOTE_ACCOUNT, renderBindings } from '../../../src/install/bindings.ts';
import { ADDRESSES, CREDENTIALS, HTTP, SSH } from '../../../src/install/components.ts';
import { renderCrdJob } from '../../../src/install/crd-job.ts';
import { renderPolicies, renderRoles } from '../../../src/install/definitions.ts';
import {
  COMMON_EGRESS,
  type Component,
  renderWorkload,
  SCRAPED,
  type Workload,
} from '../../../src/install/workload.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import { PROVIDER_ROLES } from '../../../src/provider/roles.ts';
import { renderEvictionBudget } from '../../../src/runners/eviction-budget.ts';
import { toYaml } from '../yaml.ts';
import { block, inline, renderTemplate } from './slots.ts';

const NAMESPACE = inline('.Release.Namespace');
const FULLNAME = 'include "macfleet.fullname" .';
const HAS_RUNNERS = '.Values.runnersFleet.enabled';

/** When a binding is wanted. */
const CONDITIONS: Readonly<Record<Purpose, string | undefined>> = {
  manager: undefined,
  remote: 'not .Values.capi.remoteKubeconfig.externalSecrets.enabled',
  builders: '.Values.buildersFleet.enabled',
  takeover: '.Values.takeover.enabled',
  spread: '.Values.manager.fleetSpreadDeployment',
  runners: HAS_RUNNERS,
};

const nameOf = (component: Component): string => inline(`include "macfleet.${component}.name" .`);

const workloadOf = (component: Component, values: string): Workload => ({
  component,
  name: nameOf(component),
  namespace: NAMESPACE,
  instance: inline('.Release.Name'),
  image: inline(`include "macfleet.${component}.image" .`),
  pullPolicy: inline(`include "macfleet.${component}.pullPolicy" .`),
  replicas: inline(component === 'manager' ? '.Values.manager.replicas' : '.Values.runnersController.replicaCount'),
  args: block(`include "macfleet.${component}.args" .`),
  resources: block(`toYaml ${values}.resources`),
  egress: block(`include "macfleet.${component}.egress" .`),
  annotations: block(`include "macfleet.podAnnotations" ${values}`),
  pod: {
    imagePullSecrets: block('toYaml .Values.imagePullSecrets'),
    nodeSelector: block(`include "macfleet.nodeSelector" ${values}`),
    tolerations: block(`toYaml ${values}.tolerations`),
    priorityClassName: inline(`${values}.priorityClassName | quote`),
    volumes: block(`include "macfleet.${component}.volumes" .`),
  },
  container: {
    env: block(`include "macfleet.${component}.env" .`),
    volumeMounts: block(`include "macfleet.${component}.volumeMounts" .`),
  },
});

const renderWorkloadTemplate = (workload: Workload, condition?: string): string => {
  const { account, deployment, budget, networkPolicy } = renderWorkload(workload);
  const policyCondition = ['.Values.networkPolicy.enabled', condition].filter((part) => part !== undefined);
  return [
    renderTemplate([account, deployment, budget], condition),
    renderTemplate(
      [networkPolicy],
      policyCondition.length > 1 ? `and ${policyCondition.join(' ')}` : policyCondition[0],
    ),
  ].join('---\n');
};

const renderBindingsTemplate = (): string => {
  const bindings = renderBindings({
    namespace: NAMESPACE,
    runnersNamespace: inline('.Values.runnersFleet.namespace'),
    manager: nameOf('manager'),
    runners: nameOf('runners-controller'),
  });
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: REMOTE_ACCOUNT, namespace: NAMESPACE },
  };
  return [
    renderTemplate([asKept(account)], CONDITIONS.remote),
    ...bindings.map(({ purpose, object }) => renderTemplate([keepRemote(object)], CONDITIONS[purpose])),
  ].join('---\n');
};

/**
 * Core reaches the cluster as capi-remote for as long as there are Machines, which Helm never deletes. An account that is made anew is another one to
 * the API server: the token in the kubeconfig that was kept would be worth nothing.
 */
const keepRemote = (object: KubeObject): KubeObject =>
  object.metadata.name === PROVIDER_ROLES.clusterApiRemote.metadata.name ? asKept(object) : object;

const asKept = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { 'helm.sh/resource-policy': 'keep' } },
});

const renderCrdJobTemplate = (): string => {
  const objects = renderCrdJob({
    namespace: NAMESPACE,
    name: inline(`printf "%s-crds" (${FULLNAME})`),
    image: inline('include "macfleet.manager.image" .'),
    pullPolicy: inline('include "macfleet.manager.pullPolicy" .'),
    pod: {
      imagePullSecrets: block('toYaml .Values.imagePullSecrets'),
      nodeSelector: block('include "macfleet.nodeSelector" .Values.manager'),
      tolerations: block('toYaml .Values.manager.tolerations'),
    },
  });
  return renderTemplate(objects.map(asHook), '.Values.crds.upgrade');
};

interface Hooked {
  readonly kind?: string;
  readonly metadata: object;
}

/** Before anything else: rights first, then the Job. They go when it has succeeded; after a failure they tell why. */
const asHook = <Object extends Hooked>(object: Object): Hooked => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      'helm.sh/hook': 'pre-install,pre-upgrade',
      'helm.sh/hook-weight': object.kind === 'Job' ? '-10' : '-20',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    },
  },
});

/** What plain manifests say too, for those templates that put it together with values. */
const SHARED: readonly (readonly [string, object | string])[] = [
  ['scraped', SCRAPED],
  ['credentialsPath', CREDENTIALS],
  ['addresses', ADDRESSES],
  ['managerEgress', [...COMMON_EGRESS, SSH]],
  ['runnersEgress', [...COMMON_EGRESS, HTTP]],
];

const renderDefine = (name: string, value: object | string): string =>
  `{{- define "macfleet.${name}" -}}\n${typeof value === 'string' ? value : toYaml(value).trimEnd()}\n{{- end }}\n`;

/** By file name, in templates/generated. */
export const renderWorkloadTemplates = (): ReadonlyMap<string, string> =>
  new Map([
    ['cluster-roles.yaml', renderTemplate(renderRoles().map(keepRemote))],
    ['policies.yaml', renderTemplate(renderPolicies())],
    ['bindings.yaml', renderBindingsTemplate()],
    ['manager.yaml', renderWorkloadTemplate(workloadOf('manager', '.Values.manager'))],
    [
      'runners-controller.yaml',
      renderWorkloadTemplate(workloadOf('runners-controller', '.Values.runnersController'), HAS_RUNNERS),
    ],
    ['crd-job.yaml', renderCrdJobTemplate()],
    [
      'eviction-budget.yaml',
      renderTemplate([renderEvictionBudget(inline('.Values.runnersFleet.namespace'))], HAS_RUNNERS),
    ],
    ['_shared.tpl', SHARED.map(([name, value]) => renderDefine(name, value)).join('')],
  ]);
