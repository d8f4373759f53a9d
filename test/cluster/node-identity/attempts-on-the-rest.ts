/** What a Mac tries on everything else: our own kinds first, then events and what every Node may look at. */
import { type Attempt, allowed, forbidden, get, patch, post, remove, type Stage } from './attempt.ts';

const INFRASTRUCTURE = '/apis/infrastructure.cluster.x-k8s.io/v1alpha1';
const hostOf = ({ host }: Stage, rest = ''): string => `${INFRASTRUCTURE}/machosts/${host}${rest}`;
const machineOf = ({ namespace }: Stage, rest = ''): string =>
  `${INFRASTRUCTURE}/namespaces/${namespace}/scalewayapplesiliconmachines/mine${rest}`;

const OURS = 'a Mac knows nothing of the objects that decide about it';

const kinds: readonly Attempt[] = [
  forbidden('reads a MacHost', OURS, (stage) => get(hostOf(stage))),
  forbidden('lists MacHosts', OURS, () => get(`${INFRASTRUCTURE}/machosts`)),
  forbidden('asks for a release of a MacHost', OURS, (stage) =>
    patch(hostOf(stage), { spec: { release: { intentID: 'x', reason: 'Me' } } }),
  ),
  forbidden('takes the finalizer off a MacHost', OURS, (stage) =>
    patch(hostOf(stage), { metadata: { finalizers: null } }),
  ),
  forbidden('reads the status of a MacHost', OURS, (stage) => get(hostOf(stage, '/status'))),
  forbidden('writes the status of a MacHost', OURS, (stage) =>
    patch(hostOf(stage, '/status'), { status: { state: 'free' } }),
  ),
  forbidden('deletes a MacHost', OURS, (stage) => remove(hostOf(stage))),
  forbidden('reads a machine', OURS, (stage) => get(machineOf(stage))),
  forbidden('says it is provisioned', OURS, (stage) => patch(machineOf(stage, '/status'), { status: { ready: true } })),
  forbidden('changes the providerID of a machine', OURS, (stage) =>
    patch(machineOf(stage), { spec: { providerID: 'x' } }),
  ),
  forbidden('lists the templates of machines', OURS, () =>
    get(`${INFRASTRUCTURE}/scalewayapplesiliconmachinetemplates`),
  ),
  forbidden('lists the cluster shells', OURS, () => get(`${INFRASTRUCTURE}/scalewayapplesiliconclusters`)),
  forbidden('lists the control planes', OURS, () => get(`${INFRASTRUCTURE}/scalewayapplesiliconcontrolplanes`)),
  forbidden('lists RunnerPools', OURS, () => get('/apis/tuist.dev/v1alpha1/runnerpools')),
  forbidden('scales a RunnerPool', OURS, ({ namespace }) =>
    patch(`/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools/any/scale`, { spec: { replicas: 100 } }),
  ),
];

const eventIn = (namespace: string, { name, uid }: { readonly name: string; readonly uid?: string }) =>
  post(`/api/v1/namespaces/${namespace}/events`, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: 'attempt-', namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    reason: 'Attempt',
    type: 'Normal',
  });

const ANY_EVENT = 'Nodes may write any event: nothing may be decided by one';

const events: readonly Attempt[] = [
  allowed('writes an event about its Pod', ANY_EVENT, ({ namespace, ownPod }) => eventIn(namespace, ownPod.metadata)),
  allowed('writes an event about a Pod of its neighbour', ANY_EVENT, ({ namespace, neighboursPod }) =>
    eventIn(namespace, neighboursPod.metadata),
  ),
  allowed('writes an event in another namespace', ANY_EVENT, () => eventIn('kube-system', { name: 'any' })),
  forbidden('reads events', 'they are for people', ({ namespace }) => get(`/api/v1/namespaces/${namespace}/events`)),
  forbidden('deletes events', 'they are for people', ({ namespace }) =>
    remove(`/api/v1/namespaces/${namespace}/events/any`),
  ),
];

const review = (kind: string, spec: object) =>
  post(`/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`, { apiVersion: 'authorization.k8s.io/v1', kind, spec });

const NOT_FOR_NODES = 'nothing that a Node needs';
const ANY_NODE = 'every Node may look at it';

const rest: readonly Attempt[] = [
  forbidden('lists Namespaces', NOT_FOR_NODES, () => get('/api/v1/namespaces')),
  forbidden('writes the status of a Namespace', NOT_FOR_NODES, ({ namespace }) =>
    patch(`/api/v1/namespaces/${namespace}/status`, { status: { phase: 'Terminating' } }),
  ),
  allowed('lists Services', ANY_NODE, () => get('/api/v1/services')),
  forbidden('writes the status of a Service', NOT_FOR_NODES, () =>
    patch('/api/v1/namespaces/default/services/kubernetes/status', { status: {} }),
  ),
  forbidden('lists Deployments', NOT_FOR_NODES, () => get('/apis/apps/v1/deployments')),
  forbidden('writes the status of a Job', NOT_FOR_NODES, ({ namespace }) =>
    patch(`/apis/batch/v1/namespaces/${namespace}/jobs/any/status`, { status: { succeeded: 1 } }),
  ),
  allowed('lists RuntimeClasses', ANY_NODE, () => get('/apis/node.k8s.io/v1/runtimeclasses')),
  forbidden('reads who has which rights', NOT_FOR_NODES, () =>
    get('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'),
  ),
  forbidden('gives itself rights', NOT_FOR_NODES, ({ node }) =>
    post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `${node}-admin` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `system:node:${node}` }],
    }),
  ),
  forbidden('acts in the name of the administrator', 'it may impersonate nobody', () => ({
    ...get('/api/v1/secrets'),
    headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  })),
  forbidden('acts in the name of its neighbour', 'it may impersonate nobody', ({ neighbour }) => ({
    ...get(`/api/v1/nodes/${neighbour}`),
    headers: { 'impersonate-user': `system:node:${neighbour}`, 'impersonate-group': 'system:nodes' },
  })),
  allowed('asks what it may do itself', 'everybody may', ({ namespace }) =>
    review('SelfSubjectAccessReview', { resourceAttributes: { verb: 'get', resource: 'pods', namespace } }),
  ),
  allowed('asks what others may do', 'its agent checks who calls it', () =>
    review('SubjectAccessReview', { user: 'somebody', resourceAttributes: { verb: 'get', resource: 'nodes' } }),
  ),
  allowed('asks whose token this is', 'its agent checks who calls it', () =>
    post('/apis/authentication.k8s.io/v1/tokenreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token: 'x' },
    }),
  ),
  forbidden('reads the metrics of the API server', NOT_FOR_NODES, () => get('/metrics')),
  forbidden('lists the kinds that are installed', NOT_FOR_NODES, () =>
    get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions'),
  ),
];

export const ATTEMPTS_ON_THE_REST: readonly Attempt[] = [...kinds, ...events, ...rest];
