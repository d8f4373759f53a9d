/** GET pods/log: the log of one container, as the agent of its Node tells it. */
import { isRecord } from '../../../base/json.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, findEntry } from '../call.ts';
import type { ApiResponse } from '../http.ts';
import { ApiRefusal, badRequest, notFound } from '../refusal.ts';

const OPTIONS = [
  ...['follow', 'previous', 'sinceSeconds', 'sinceTime', 'timestamps', 'tailLines', 'limitBytes'],
  ...['insecureSkipTLSVerifyBackend', 'container', 'pretty', 'stream'],
];
const NODE_RESOURCE = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' } as const;

export const readLog = (deps: ApiDeps, call: Call): ApiResponse => {
  const { store, openNodeLog } = deps;
  const { object: pod } = findEntry(deps, call);
  checkOptions(call);
  const container = chooseContainer(pod, call.query.get('container') ?? '');
  const nodeName = fieldsOf(pod['spec'])['nodeName'];
  // As with a real API server: a Pod that is nowhere yet has an empty log.
  if (typeof nodeName !== 'string' || nodeName === '') return { ...TEXT, body: '' };
  const node = store.get('/nodes', keyFor(undefined, nodeName))?.object;
  if (node === undefined) throw notFound(NODE_RESOURCE, nodeName);
  if (openNodeLog === undefined) {
    throw new ApiRefusal(
      'ServiceUnavailable',
      'this control plane was started without a way to the agents of its Nodes',
    );
  }
  const options = new URLSearchParams([...call.query].filter(([name]) => name !== 'container' && name !== 'pretty'));
  return { ...TEXT, body: (sink) => openNodeLog({ pod, node, container, options }, sink) };
};

const TEXT = { status: 200, headers: { 'content-type': 'text/plain' } } as const;

const checkOptions = ({ query }: Call): void => {
  const unknown = [...query.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw badRequest(`unknown log option ${JSON.stringify(unknown)}`);
  if (query.get('insecureSkipTLSVerifyBackend') === 'true') {
    throw badRequest('insecureSkipTLSVerifyBackend is not supported: the way to a Node is always verified');
  }
};

const namesIn = (spec: unknown, list: string): readonly string[] => {
  const value = fieldsOf(spec)[list];
  return Array.isArray(value) ? value.filter(isRecord).map(({ name }) => String(name)) : [];
};

const chooseContainer = (pod: StoredObject, asked: string): string => {
  const { name } = pod.metadata;
  const containers = namesIn(pod['spec'], 'containers');
  const inits = namesIn(pod['spec'], 'initContainers');
  if (asked !== '') {
    if ([...containers, ...inits].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [first] = containers;
  if (containers.length === 1 && first !== undefined) return first;
  const some = inits.length > 0 ? ` or one of the init containers: [${inits.join(' ')}]` : '';
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]${some}`,
  );
};
