/** What each verb of the client says on the wire. Pure: arguments in, a Call out. */
import { type KubeObject, keyOf, type ObjectKey, renderKey } from '../types/meta.ts';
import { apiVersionOf, type Resource } from '../types/resource.ts';
import type { Call } from './call.ts';
import type {
  DeleteOptions,
  ListOptions,
  PatchBody,
  Permit,
  SubresourceRequest,
  WatchOptions,
  WriteOptions,
} from './client.ts';
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

/** What goes with every write and never onto the wire. */
const sendingOf = ({ signal, permit }: { readonly signal: AbortSignal; readonly permit?: Permit | undefined }) => ({
  signal,
  ...(permit && { permit }),
});

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
  const doing = describeCreation(resource, object);
  return {
    method: 'POST',
    path,
    doing,
    repetition: 'unguarded',
    ...sendingOf(options),
    body: renderObject(resource, object),
  };
};

/** Servers know the built-in kinds by the path, but want to be told every other one; objects from lists do not say it. */
const renderObject = (resource: AnyResource, object: KubeObject): string =>
  JSON.stringify({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...object });

/** The server makes the name, or nobody does. */
const describeCreation = (resource: AnyResource, object: KubeObject): string => {
  const { name, namespace, generateName } = object.metadata;
  if (name !== '') return describe('creating', resource, { key: keyOf(object) });
  if (generateName === undefined) return describeAll('creating', resource, namespace);
  return describe('creating', resource, { key: { ...keyOf(object), name: `${generateName}*` } });
};

export const toUpdate = (resource: AnyResource, object: KubeObject, options: WriteOptions): Call => {
  const key = keyOf(object);
  const { subresource } = options;
  const path = withQuery(objectPath(resource, key, subresource), writeQuery(options));
  const doing = describe('updating', resource, { key, subresource });
  const repetition = repetitionOfUpdate(object);
  const body = subresource === 'scale' ? JSON.stringify(object) : renderObject(resource, object);
  return { method: 'PUT', path, doing, repetition, ...sendingOf(options), body };
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
  const { subresource } = options;
  const force = patch.type === 'apply' && patch.force ? 'true' : undefined;
  return {
    method: 'PATCH',
    path: withQuery(objectPath(resource, key, subresource), { ...writeQuery(options), force }),
    doing: describe(patch.type === 'apply' ? 'applying' : 'patching', resource, { key, subresource }),
    repetition: repetitionOfPatch(patch),
    ...sendingOf(options),
    body: JSON.stringify(patch.body),
    contentType: PATCH_CONTENT_TYPES[patch.type],
  };
};

export const toDelete = (resource: AnyResource, key: ObjectKey, options: DeleteOptions): Call => {
  const { signal, permit, dryRun, ...rest } = options;
  const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(dryRun && { dryRun: [dryRun] }) };
  return {
    method: 'DELETE',
    path: objectPath(resource, key),
    doing: describe('deleting', resource, { key }),
    repetition: repetitionOfDelete(options),
    ...sendingOf({ signal, permit }),
    body: JSON.stringify(body),
  };
};

export const toSubresource = (resource: AnyResource, key: ObjectKey, request: SubresourceRequest<KubeObject>): Call => {
  const { subresource } = request;
  const path = objectPath(resource, key, subresource);
  const doing = describe('creating', resource, { key, subresource });
  return {
    method: 'POST',
    path,
    doing,
    repetition: 'unguarded',
    ...sendingOf(request),
    body: JSON.stringify(request.body),
  };
};
