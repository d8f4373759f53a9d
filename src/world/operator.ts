/** A person with kubectl in a simulated world: every call is one instant, and reads are the truth. */
import { FleetError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { ApiServer } from '../controlplane/api/api-server.ts';
import { ADMIN } from '../controlplane/auth/user.ts';
import { collectionPath, objectPath } from '../kube/client/paths.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import type { DemoObject } from './demo-fleet.ts';

export interface Operator {
  create(path: string, object: object): void;
  apply(demo: DemoObject): void;
  list<T extends KubeObject>(resource: Resource<T>): readonly T[];
  /** Those that `merge` and `remove` reach: of its namespace, or of none. */
  listOwn<T extends KubeObject>(resource: Resource<T>): readonly T[];
  merge(resource: Resource<KubeObject>, name: string, body: object): void;
  mergeStatus(resource: Resource<KubeObject>, name: string, body: object): void;
  remove(resource: Resource<KubeObject>, name: string): void;
  /** Without any grace. */
  force(resource: Resource<KubeObject>, name: string): void;
}

/** Works in one namespace, but for what names another. */
export const createOperator = (api: ApiServer, namespace: string): Operator => {
  const call = (method: string, path: string, body?: object): unknown => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const request = { method, path, headers, user: ADMIN };
    const answer = api.handle(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    const text = typeof answer.body === 'string' ? answer.body : '';
    if (answer.status < 300) return JSON.parse(text);
    throw new FleetError('contract', { code: 'Refused', message: `${method} ${path}: ${answer.status} ${text}` });
  };
  const placeOf = ({ resource: { scope }, object }: DemoObject) =>
    scope === 'Cluster' ? undefined : (object.metadata.namespace ?? namespace);
  const pathOf = (resource: Resource<KubeObject>, name: string): string => objectPath(resource, { namespace, name });
  const list = <T extends KubeObject>(resource: Resource<T>): readonly T[] =>
    parseItems(call('GET', collectionPath(resource)));
  return {
    create: (path, object) => void call('POST', path, object),
    apply: (demo) => void call('POST', collectionPath(demo.resource, placeOf(demo)), demo.object),
    list,
    listOwn: (resource) => list(resource).filter(({ metadata }) => (metadata.namespace ?? namespace) === namespace),
    merge: (resource, name, body) => void call('PATCH', pathOf(resource, name), body),
    mergeStatus: (resource, name, body) => void call('PATCH', `${pathOf(resource, name)}/status`, body),
    remove: (resource, name) => void call('DELETE', pathOf(resource, name)),
    force: (resource, name) => void call('DELETE', `${pathOf(resource, name)}?gracePeriodSeconds=0`),
  };
};

const parseItems = <T extends KubeObject>(list: unknown): readonly T[] => {
  const items = isRecord(list) ? list['items'] : undefined;
  return Array.isArray(items) ? (items as readonly T[]) : [];
};
