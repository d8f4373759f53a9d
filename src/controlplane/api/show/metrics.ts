/** Counts of what was asked and answered, under the names that a real API server gives them. */
import { parseAttempt } from '../../auth/attempt.ts';
import type { ApiDeps } from '../call.ts';
import { type ApiRequest, type ApiResponse, replyText } from '../http.ts';
import { collectionOfKind } from '../kinds/served-kind.ts';

export interface RequestMetrics {
  count(request: ApiRequest, code: number): void;
  /** `GET /metrics`; undefined for other requests. */
  answer(request: ApiRequest): ApiResponse | undefined;
}

type Labels = Readonly<Record<string, string>>;

interface Counted {
  readonly labels: Labels;
  times: number;
}

export const createRequestMetrics = (deps: Pick<ApiDeps, 'store' | 'registry' | 'watches'>): RequestMetrics => {
  const counted = new Map<string, Counted>();
  return {
    count: (request, code) => {
      const labels = labelsOf(request, code);
      const key = Object.values(labels).join('\0');
      const known = counted.get(key);
      if (known === undefined) counted.set(key, { labels, times: 1 });
      else known.times += 1;
    },
    answer: ({ method, path }) => {
      if (method !== 'GET' || path.split('?')[0] !== '/metrics') return undefined;
      return replyText(200, renderMetrics(deps, [...counted.values()]));
    },
  };
};

const labelsOf = (request: ApiRequest, code: number): Labels => {
  const attempt = parseAttempt(request);
  if (attempt.on === 'path') return { code: String(code), verb: attempt.verb.toUpperCase() };
  const { group, version, resource, subresource, namespace, name, verb } = attempt;
  const scope = name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster';
  const dryRun = /[?&]dryRun=All/.test(request.path) ? 'All' : '';
  // Names that nobody serves are as many as clients like to make up.
  const known = code === 404 && name === '' ? {} : { group, version, resource, subresource };
  return { code: String(code), dry_run: dryRun, scope, verb: verb.toUpperCase(), ...known };
};

const renderLabels = (labels: Labels): string =>
  Object.entries(labels)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');

const renderMetrics = (
  { store, registry, watches }: Pick<ApiDeps, 'store' | 'registry' | 'watches'>,
  counted: readonly Counted[],
): string => {
  const collections = new Map(
    registry
      .all()
      .toReversed()
      .map((kind) => [collectionOfKind(kind), kind.resource]),
  );
  const objects = [...collections].map(([collection, { group, plural }]) => {
    const labels = renderLabels({ group, resource: plural });
    return `apiserver_resource_objects{${labels}} ${store.list(collection).length}`;
  });
  return [
    '# HELP apiserver_request_total Requests by verb, resource and code of the answer.',
    '# TYPE apiserver_request_total counter',
    ...counted.map(({ labels, times }) => `apiserver_request_total{${renderLabels(labels)}} ${times}`),
    '# HELP apiserver_longrunning_requests Watches that are open.',
    '# TYPE apiserver_longrunning_requests gauge',
    `apiserver_longrunning_requests{verb="WATCH"} ${watches.size}`,
    '# HELP apiserver_resource_objects Stored objects by resource.',
    '# TYPE apiserver_resource_objects gauge',
    ...objects,
    '',
  ].join('\n');
};
