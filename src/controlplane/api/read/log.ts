/** GET pods/log: the log of one container, as the agent of its Node tells it. */
import { messageOf, toFleetError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/json.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, findEntry } from '../call.ts';
import type { ApiResponse, ByteSink } from '../http.ts';
import type { NodeLog } from '../node-log.ts';
import {
  ApiRefusal,
  badRequest,
  forbiddenField,
  invalid,
  invalidValue,
  notFound,
  type Problem,
  replyRefusal,
} from '../refusal.ts';

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
  const request = { pod, node, container, options };
  const later = async (): Promise<ApiResponse> => {
    try {
      return { ...TEXT, body: await openNodeLog(request) };
    } catch (thrown) {
      const { message } = toFleetError(thrown);
      return replyRefusal(thrown instanceof ApiRefusal ? thrown : new ApiRefusal('InternalError', message));
    }
  };
  return { ...TEXT, body: (sink) => pourWhenOpen(openNodeLog(request), sink), later };
};

/** For whoever got its status already: what is refused breaks the stream. */
const pourWhenOpen = (opening: Promise<NodeLog>, sink: ByteSink): (() => void) => {
  let isStopped = false;
  let stop = (): void => undefined;
  opening.then(
    (log) => {
      stop = log(sink);
      if (isStopped) stop();
    },
    (thrown: unknown) => sink.fail(messageOf(thrown)),
  );
  return () => {
    isStopped = true;
    stop();
  };
};

const TEXT = { status: 200, headers: { 'content-type': 'text/plain' } } as const;

const checkOptions = ({ query }: Call): void => {
  const unknown = [...query.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw badRequest(`unknown log option ${JSON.stringify(unknown)}`);
  if (query.get('insecureSkipTLSVerifyBackend') === 'true') {
    throw badRequest('insecureSkipTLSVerifyBackend is not supported: the way to a Node is always verified');
  }
  const problems = Object.entries(LEAST).flatMap(([name, least]) => judgeNumber(name, query.get(name), least));
  if (query.has('sinceSeconds') && query.has('sinceTime')) {
    problems.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  }
  if (problems.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, '', problems);
};

const LEAST = { tailLines: 0, sinceSeconds: 1, limitBytes: 1 } as const;

const judgeNumber = (name: string, text: string | null, least: number): Problem[] => {
  if (text === null) return [];
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`${name}: ${JSON.stringify(text)} is no whole number`);
  const value = Number(text);
  return value < least ? [invalidValue(name, value, `must be greater than or equal to ${least}`)] : [];
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
