/** The record of a Mac, as machines read and write it: live, and on what was read. */
import { isKind } from '../../base/errors.ts';
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';

export const findHost = async (
  name: string,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<MacHost | undefined> => {
  try {
    return await kube.get(MAC_HOSTS, { name }, { signal });
  } catch (error) {
    if (isKind(error, 'not-found')) return undefined;
    throw error;
  }
};

/** On the record as it was read: of two who write at once, one looks again. */
export const patchHost = async (host: MacHost, spec: object, { kube, signal }: ReconcileContext): Promise<void> => {
  const { name, uid, resourceVersion } = host.metadata;
  const body = { metadata: { uid, resourceVersion }, spec };
  await kube.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal });
};
