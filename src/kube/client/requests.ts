/** What each verb of the client says on the wire. Pure: arguments in, a Call out. */
import { type KubeObject, keyOf, type ObjectKey, renderKey } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { Call } from './call.ts';
import type { DeleteOptions, ListOptions, PatchBody, WatchOptions, WriteOptions } from './client.ts';
import { collectionPath, creationPath, objectPath, withQuery } from './paths.ts';
import { repetitionOfDelete, repetitionOfPatch, repetitionOfUpdate } from './retry.ts';

type AnyResource = Resource<KubeObject>;

interface Target {
  readonly key: ObjectKey;
  readonly subresource?: string | undefined;
}

/** The call in words, for errors: "patching pods/status default/x". */
const describe = (verb: string, { plural }: AnyResource, { key, subresource }: Target): string =>
  `${verb} ${subresource === undefined ? plural : `${plural}/${subresource}`} ${renderKey(key)}`;

const describeAll = (verb: string, { plural }: AnyResource, namespace: string | undefined): string =>
  namespace === undefined ? `${verb} ${plural}` : `${verb} ${plural} in ${namespace}`;

const writeQuery = ({ fieldManager, dryRun }: WriteOptions) => ({ fieldManager, dryRun });

export const toGet = (resource: AnyResource, key: ObjectKey, signal: AbortSignal): Call => {
  const doing = describe('getting', resource, { key });
  return { method: 'GET', path: objectPath(resource, key), doing, repetition: 'read', signal };
};

export interface Page {
  readonly limit: number;
  readonly continue: string | undefined;
}

/** Asks for no resource version: the answer is never older than the moment of asking. */
export const toPage = (
  resource: AnyResource,
  options: Omit<ListOptions<KubeObject>, 'transform'>,
  page: Page,
): Call => {
  const { namespace, labelSelector, fieldSelector, signal } = options;
  const path = withQuery(collectionPath(resource, namespace), { ...page, labelSelector, fieldSelector });
  const doing = describeAll('listing', resource, namespace);
  const expiredCode = page.continue === undefined ? 'Expired' : 'ContinueExpired';
  return { method: 'GET', path, doing, repetition: 'read', signal, expiredCode };
};

export const toWatch = (resource: AnyResource, options: WatchOptions): Call => {
  const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds, signal } = options;
  const query = {
    watch: 1,
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
  };
  const path = withQuery(collectionPath(resource, namespace), query);
  const doing = describeAll('watching', resource, namespace);
  return { method: 'GET', path, doing, repetition: 'read', signal, expiredCode: 'WatchExpired' };
};

export const toCreate = (resource: AnyResource, object: KubeObject, options: WriteOptions): Call => {
  const key = keyOf(object);
  const path = withQuery(creationPath(resource, key), writeQuery(options));
  const doing = describe('creating', resource, { key });
  return { method: 'POST', path, doing, repetition: 'unguarded', signal: options.signal, body: JSON.stringify(object) };
};

export const toUpdate = (resource: AnyResource, object: KubeObject, options: WriteOptions): Call => {
  const key = keyOf(object);
  const { subresource, signal } = options;
  const path = withQuery(objectPath(resource, key, subresource), writeQuery(options));
  const doing = describe('updating', resource, { key, subresource });
  const repetition = repetitionOfUpdate(object);
  return { method: 'PUT', path, doing, repetition, signal, body: JSON.stringify(object) };
};

const PATCH_CONTENT_TYPES: Readonly<Record<PatchBody['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  'strategic-merge': 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export interface PatchTarget {
  readonly key: ObjectKey;
  readonly patch: PatchBody;
}

export const toPatch = (resource: AnyResource, { key, patch }: PatchTarget, options: WriteOptions): Call => {
  const { subresource, signal } = options;
  const force = patch.type === 'apply' && patch.force ? 'true' : undefined;
  return {
    method: 'PATCH',
    path: withQuery(objectPath(resource, key, subresource), { ...writeQuery(options), force }),
    doing: describe(patch.type === 'apply' ? 'applying' : 'patching', resource, { key, subresource }),
    repetition: repetitionOfPatch(patch),
    signal,
    body: JSON.stringify(patch.body),
    contentType: PATCH_CONTENT_TYPES[patch.type],
  };
};

export const toDelete = (resource: AnyResource, key: ObjectKey, options: DeleteOptions): Call => {
  const { signal, dryRun, ...rest } = options;
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(dryRun && { dryRun: [dryRun] }) };
  return {
    method: 'DELETE',
    path: objectPath(resource, key),
    doing: describe('deleting', resource, { key }),
    repetition: repetitionOfDelete(options),
    signal,
    body: JSON.stringify(body),
  };
};

export interface SubresourceRequest {
  readonly subresource: string;
  readonly body: KubeObject;
  readonly signal: AbortSignal;
}

export const toSubresource = (resource: AnyResource, key: ObjectKey, request: SubresourceRequest): Call => {
  const { subresource, signal } = request;
  const path = objectPath(resource, key, subresource);
  const doing = describe('creating', resource, { key, subresource });
  return { method: 'POST', path, doing, repetition: 'unguarded', signal, body: JSON.stringify(request.body) };
};
