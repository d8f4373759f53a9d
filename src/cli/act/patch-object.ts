/** A change to the very object that was looked at, and to no later state of it. */
import type { KubeClient, WriteOptions } from '../../kube/client/client.ts';
import { type KubeObject, keyOf } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

export interface Change {
  readonly client: Pick<KubeClient, 'patch'>;
  readonly options: WriteOptions;
}

/** A merge, refused by the server when the object is another one by now, or has changed since `seen`. */
export const patchSeen = <T extends KubeObject>(
  resource: Resource<T>,
  { seen, body }: { readonly seen: T; readonly body: Readonly<Record<string, unknown>> },
  { client, options }: Change,
): Promise<T> => {
  const { uid, resourceVersion } = seen.metadata;
  const metadata = { ...fieldsOf(body['metadata']), uid, resourceVersion };
  return client.patch(resource, keyOf(seen), { type: 'merge', body: { ...body, metadata } }, options);
};

const fieldsOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
