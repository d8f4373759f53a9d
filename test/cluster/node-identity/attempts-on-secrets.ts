/** What a Mac tries on what its Pods need: Secrets, ConfigMaps, ServiceAccounts and their tokens, volumes. */
import { type Attempt, allowed, forbidden, get, patch, post, remove, type Stage, watch } from './attempt.ts';

/** The one audience for which the Mac's own Pod has a token volume. */
export const POD_AUDIENCE = 'tuist-runners-dispatch';

const inNamespace = (plural: string) => (stage: Stage, rest: string) =>
  `/api/v1/namespaces/${stage.namespace}/${plural}${rest}`;
const secrets = inNamespace('secrets');
const configMaps = inNamespace('configmaps');
const accounts = inNamespace('serviceaccounts');
const claims = inNamespace('persistentvolumeclaims');

const REFERENCED = 'a Pod of its own refers to it';
const NOT_REFERENCED = 'no Pod of its own refers to it';
const ONE_BY_ONE = 'it may read what its Pods refer to, one by one';

const secretsAndMaps: readonly Attempt[] = [
  allowed('reads a Secret that its Pod refers to', REFERENCED, (stage) => get(secrets(stage, '/mine'))),
  allowed('lists that Secret by name', REFERENCED, (stage) =>
    get(secrets(stage, '?fieldSelector=metadata.name%3Dmine')),
  ),
  allowed('watches that Secret', REFERENCED, (stage) => watch(secrets(stage, '?fieldSelector=metadata.name%3Dmine'))),
  forbidden('reads a Secret of the Pods of its neighbour', NOT_REFERENCED, (stage) => get(secrets(stage, '/theirs'))),
  forbidden('reads a Secret that no Pod refers to', NOT_REFERENCED, (stage) => get(secrets(stage, '/nobodys'))),
  forbidden('lists the Secrets of a namespace', ONE_BY_ONE, (stage) => get(secrets(stage, ''))),
  forbidden('watches the Secrets of a namespace', ONE_BY_ONE, (stage) => watch(secrets(stage, ''))),
  forbidden('lists all Secrets', ONE_BY_ONE, () => get('/api/v1/secrets')),
  forbidden('lists the bootstrap tokens of others', ONE_BY_ONE, () => get('/api/v1/namespaces/kube-system/secrets')),
  forbidden('changes a Secret that its Pod refers to', 'it reads only', (stage) =>
    patch(secrets(stage, '/mine'), { data: {} }),
  ),
  forbidden('deletes a Secret that its Pod refers to', 'it reads only', (stage) => remove(secrets(stage, '/mine'))),
  forbidden('creates a Secret', 'it reads only', (stage) =>
    post(secrets(stage, ''), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'new' } }),
  ),
  allowed('reads a ConfigMap that its Pod refers to', REFERENCED, (stage) => get(configMaps(stage, '/mine'))),
  forbidden('reads a ConfigMap of the Pods of its neighbour', NOT_REFERENCED, (stage) =>
    get(configMaps(stage, '/theirs')),
  ),
  forbidden('lists the ConfigMaps of a namespace', ONE_BY_ONE, (stage) => get(configMaps(stage, ''))),
  forbidden('changes a ConfigMap that its Pod refers to', 'it reads only', (stage) =>
    patch(configMaps(stage, '/mine'), { data: { a: 'b' } }),
  ),
];

interface TokenAsk {
  readonly audiences?: readonly string[];
  readonly bound?: object | undefined;
}

const tokenFor = ({ ownPod }: Stage, { audiences = [POD_AUDIENCE], bound }: TokenAsk = {}) => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata: {},
  spec: { audiences, boundObjectRef: bound ?? podRef(ownPod.metadata) },
});

const podRef = ({ name, uid }: { readonly name: string; readonly uid?: string }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  uid,
});

const ask = (account: string, tokenAsk?: (stage: Stage) => TokenAsk) => (stage: Stage) =>
  post(accounts(stage, `/${account}/token`), tokenFor(stage, tokenAsk?.(stage)));

const tokens: readonly Attempt[] = [
  allowed('asks for the token that a volume of its Pod names', 'it must put it there', ask('runner')),
  forbidden(
    'asks for a token of its Pod for a foreign audience',
    'the audience stands in no volume of the Pod',
    ask('runner', () => ({ audiences: ['https://elsewhere.example.org'] })),
  ),
  forbidden(
    'asks for a token of its Pod for the API server',
    'the Pod has no such volume, so the Mac cannot become its ServiceAccount',
    ask('runner', () => ({ audiences: [] })),
  ),
  forbidden(
    'asks for a token of its Pod for two audiences',
    'one audience at a time',
    ask('runner', () => ({ audiences: [POD_AUDIENCE, 'https://elsewhere.example.org'] })),
  ),
  forbidden('asks for a token bound to no Pod', 'a token must die with the Pod', (stage) =>
    post(accounts(stage, '/runner/token'), { ...tokenFor(stage), spec: { audiences: [POD_AUDIENCE] } }),
  ),
  forbidden(
    'asks for a token bound to its Node',
    'a token must die with the Pod',
    ask('runner', ({ ownNode }) => ({
      bound: { apiVersion: 'v1', kind: 'Node', name: ownNode.metadata.name, uid: ownNode.metadata.uid },
    })),
  ),
  forbidden(
    'asks for a token bound to a Pod of its neighbour',
    'the Pod is not its own',
    ask('runner', ({ neighboursPod }) => ({ bound: podRef(neighboursPod.metadata) })),
  ),
  forbidden(
    'asks for a token bound to a Pod that is gone',
    'the name is the same, the Pod is not',
    ask('runner', () => ({ bound: podRef({ name: 'mine', uid: '0f1e2d3c-0000-4000-8000-000000000001' }) })),
  ),
  forbidden('asks for the token of a ServiceAccount of its neighbour', NOT_REFERENCED, ask('stranger')),
  forbidden('asks for the token of a ServiceAccount that no Pod uses', NOT_REFERENCED, ask('unused')),
  allowed('reads the ServiceAccount of its Pod', REFERENCED, (stage) => get(accounts(stage, '/runner'))),
  forbidden('reads a ServiceAccount of its neighbour', NOT_REFERENCED, (stage) => get(accounts(stage, '/stranger'))),
  forbidden('lists the ServiceAccounts of a namespace', ONE_BY_ONE, (stage) => get(accounts(stage, ''))),
];

const resized = { status: { conditions: [{ type: 'Resizing', status: 'True' }] } };

const volumes: readonly Attempt[] = [
  allowed('reads a claim that its Pod refers to', REFERENCED, (stage) => get(claims(stage, '/mine'))),
  forbidden('reads a claim of its neighbour', NOT_REFERENCED, (stage) => get(claims(stage, '/theirs'))),
  forbidden('lists the claims of a namespace', ONE_BY_ONE, (stage) => get(claims(stage, ''))),
  forbidden('reads the status of its claim apart', 'only writing is granted there', (stage) =>
    get(claims(stage, '/mine/status')),
  ),
  allowed('patches the status of its claim', 'it may grow the volume', (stage) =>
    patch(claims(stage, '/mine/status'), resized),
  ),
  forbidden('patches the status of a claim of its neighbour', NOT_REFERENCED, (stage) =>
    patch(claims(stage, '/theirs/status'), resized),
  ),
  forbidden('labels its claim through its status', 'only size and conditions are its own', (stage) =>
    patch(claims(stage, '/mine/status'), { metadata: { labels: { a: 'b' } } }),
  ),
  forbidden('takes the finalizers off its claim through its status', 'unlike those of Pods', (stage) =>
    patch(claims(stage, '/mine/status'), { metadata: { finalizers: ['a.example.org/b'] } }),
  ),
  forbidden('patches its claim itself', 'it reads only', (stage) =>
    patch(claims(stage, '/mine'), { metadata: { annotations: { a: 'b' } } }),
  ),
  allowed('reads the volume of its claim', REFERENCED, ({ namespace }) =>
    get(`/api/v1/persistentvolumes/${namespace}-mine`),
  ),
  forbidden('reads the volume of its neighbour', NOT_REFERENCED, ({ namespace }) =>
    get(`/api/v1/persistentvolumes/${namespace}-theirs`),
  ),
  forbidden('patches the status of the volume of its claim', 'it reads only', ({ namespace }) =>
    patch(`/api/v1/persistentvolumes/${namespace}-mine/status`, { status: { phase: 'Failed' } }),
  ),
];

export const ATTEMPTS_ON_SECRETS: readonly Attempt[] = [...secretsAndMaps, ...tokens, ...volumes];
