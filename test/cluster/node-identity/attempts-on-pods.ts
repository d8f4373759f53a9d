/** What a Mac tries on Pods: its own, its neighbour's, and those that are nobody's yet. */
import {
  type Attempt,
  allowed,
  forbidden,
  forbiddenToAll,
  get,
  ignored,
  patch,
  post,
  put,
  remove,
  type Stage,
  watch,
} from './attempt.ts';

const pods = ({ namespace }: Stage): string => `/api/v1/namespaces/${namespace}/pods`;
const own = (stage: Stage, rest = ''): string => `${pods(stage)}/mine${rest}`;

const OWN_PODS_ONLY = 'a Node has to do with the Pods bound to it and no others';
const STATUS_ONLY = 'of a Pod a Node writes the status and nothing else';

const running = { status: { phase: 'Running', message: 'x' } };

const reads: readonly Attempt[] = [
  allowed('reads a Pod of its own', 'it runs it', (stage) => get(own(stage))),
  forbidden('reads a Pod of its neighbour', OWN_PODS_ONLY, (stage) => get(`${pods(stage)}/theirs`)),
  forbidden('reads a Pod that no Node has yet', OWN_PODS_ONLY, (stage) => get(`${pods(stage)}/nobodys`)),
  allowed('lists the Pods bound to it', 'it runs them', ({ node }) =>
    get(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`),
  ),
  allowed('watches the Pods bound to it', 'it runs them', ({ node }) =>
    watch(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`),
  ),
  forbidden('lists the Pods bound to its neighbour', OWN_PODS_ONLY, ({ neighbour }) =>
    get(`/api/v1/pods?fieldSelector=spec.nodeName%3D${neighbour}`),
  ),
  forbidden('lists all Pods', OWN_PODS_ONLY, () => get('/api/v1/pods')),
  forbidden('watches all Pods', OWN_PODS_ONLY, () => watch('/api/v1/pods')),
  forbidden('lists the Pods of a namespace', OWN_PODS_ONLY, (stage) => get(pods(stage))),
  forbidden('lists the Pods that are bound to nobody', OWN_PODS_ONLY, () =>
    get('/api/v1/pods?fieldSelector=spec.nodeName%3D'),
  ),
  forbidden('reads the status of its own Pod apart', 'only writing is granted there', (stage) =>
    get(own(stage, '/status')),
  ),
  forbidden('reads the log of its own Pod through the API server', 'logs are for people', (stage) =>
    get(own(stage, '/log')),
  ),
  forbidden('runs a command in its own Pod through the API server', 'exec is for people', (stage) =>
    get(own(stage, '/exec?command=id&stdout=true')),
  ),
];

const statuses: readonly Attempt[] = [
  allowed('patches the status of its own Pod', 'it reports how it goes', (stage) =>
    patch(own(stage, '/status'), running),
  ),
  allowed('replaces the status of its own Pod', 'it reports how it goes', (stage) =>
    put(own(stage, '/status'), { ...stage.ownPod, ...running }),
  ),
  forbidden('patches the status of a Pod of its neighbour', OWN_PODS_ONLY, (stage) =>
    patch(`${pods(stage)}/theirs/status`, running),
  ),
  forbidden('patches the status of a Pod that no Node has yet', OWN_PODS_ONLY, (stage) =>
    patch(`${pods(stage)}/nobodys/status`, running),
  ),
  allowed(
    'annotates its own Pod through its status',
    'only labels are kept from it there',
    (stage) => patch(own(stage, '/status'), { metadata: { annotations: { seen: 'yes' } } }),
    ({ metadata }) => metadata?.annotations?.['seen'] === 'yes',
  ),
  allowed(
    'adds a finalizer to its own Pod through its status',
    'this is how the agent holds a Pod until its VM is gone',
    (stage) => patch(own(stage, '/status'), { metadata: { finalizers: ['example.org/guard', 'example.org/more'] } }),
    ({ metadata }) => metadata?.finalizers?.length === 2,
  ),
  allowed(
    'strips the finalizers of others from its own Pod through its status',
    'so a finalizer on a Pod does not bind the Mac that runs it',
    (stage) => patch(own(stage, '/status'), { metadata: { finalizers: null } }),
    ({ metadata }) => metadata?.finalizers === undefined,
  ),
  forbidden('labels its own Pod through its status', 'labels decide what selects the Pod', (stage) =>
    patch(own(stage, '/status'), { metadata: { labels: { 'tuist.dev/runner-pool-owner': 'me' } } }),
  ),
  ignored(
    'gives its own Pod an owner through its status',
    'the status route leaves owners alone',
    (stage) =>
      patch(own(stage, '/status'), {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: stage.node, uid: 'x' }] },
      }),
    ({ metadata }) => metadata?.ownerReferences !== undefined,
  ),
  ignored(
    'changes the image of its own Pod through its status',
    'the status route leaves the spec alone',
    (stage) => patch(own(stage, '/status'), { spec: { containers: [{ name: 'main', image: 'mine:latest' }] } }),
    ({ spec }) => spec?.containers?.[0]?.image === 'mine:latest',
  ),
];

const writes: readonly Attempt[] = [
  forbidden('patches its own Pod itself', STATUS_ONLY, (stage) =>
    patch(own(stage), { metadata: { annotations: { a: 'b' } } }),
  ),
  forbidden('adds a container to its own Pod', STATUS_ONLY, (stage) =>
    patch(own(stage, '/ephemeralcontainers'), { spec: { ephemeralContainers: [{ name: 'x', image: 'x' }] } }),
  ),
  forbidden('resizes its own Pod', STATUS_ONLY, (stage) => patch(own(stage, '/resize'), { spec: {} })),
  forbidden('binds a Pod to itself', 'binding is for schedulers', (stage) =>
    post(`${pods(stage)}/nobodys/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'nobodys' },
      target: { apiVersion: 'v1', kind: 'Node', name: stage.node },
    }),
  ),
  allowed('evicts a Pod of its own', 'it may be short of memory', (stage) =>
    post(own(stage, '/eviction'), evictionOf('mine')),
  ),
  forbidden('evicts a Pod of its neighbour', OWN_PODS_ONLY, (stage) =>
    post(`${pods(stage)}/theirs/eviction`, evictionOf('theirs')),
  ),
  allowed('deletes a Pod of its own at once', 'it alone knows that nothing runs any more', (stage) =>
    remove(own(stage)),
  ),
  forbidden('deletes a Pod of its neighbour', OWN_PODS_ONLY, (stage) => remove(`${pods(stage)}/theirs`)),
  forbidden('deletes a Pod that no Node has yet', OWN_PODS_ONLY, (stage) => remove(`${pods(stage)}/nobodys`)),
  forbidden('deletes all its Pods in one call', 'it deletes one by one', (stage) =>
    remove(`${pods(stage)}?fieldSelector=spec.nodeName%3D${stage.node}`),
  ),
];

const evictionOf = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

interface Mirror {
  readonly nodeName?: string;
  readonly owner?: string;
  readonly annotations?: object;
  readonly spec?: object;
}

/** The Pod under which a kubelet shows what it was told to run by a file on its disk. */
const mirrorOf = ({ node, ownNode }: Stage, { nodeName = node, owner = node, annotations, spec }: Mirror = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'mirror',
    annotations: annotations ?? { 'kubernetes.io/config.mirror': 'abc' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: owner, uid: ownNode.metadata.uid, controller: true }],
  },
  spec: { nodeName, containers: [{ name: 'main', image: 'x' }], ...spec },
});

const mirrors: readonly Attempt[] = [
  allowed('shows a mirror Pod of its own', 'this is how static Pods are seen', (stage) =>
    post(pods(stage), mirrorOf(stage)),
  ),
  forbidden('creates an ordinary Pod for itself', 'only mirror Pods come from Nodes', (stage) =>
    post(pods(stage), mirrorOf(stage, { annotations: {}, spec: { serviceAccountName: 'runner' } })),
  ),
  forbidden('creates a mirror Pod for its neighbour', OWN_PODS_ONLY, (stage) =>
    post(pods(stage), mirrorOf(stage, { nodeName: stage.neighbour })),
  ),
  forbidden('creates a mirror Pod that its neighbour owns', 'the owner must be itself', (stage) =>
    post(pods(stage), mirrorOf(stage, { owner: stage.neighbour })),
  ),
  forbiddenToAll('creates a mirror Pod with the identity of others', 'it would get their tokens', (stage) =>
    post(pods(stage), mirrorOf(stage, { spec: { serviceAccountName: 'stranger' } })),
  ),
  forbiddenToAll('creates a mirror Pod that names a Secret', 'it would get to read it', (stage) =>
    post(pods(stage), mirrorOf(stage, { spec: { volumes: [{ name: 'v', secret: { secretName: 'nobodys' } }] } })),
  ),
];

export const ATTEMPTS_ON_PODS: readonly Attempt[] = [...reads, ...statuses, ...writes, ...mirrors];
