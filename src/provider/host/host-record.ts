/** The record of a Mac, as its controllers read and write it: live, and on what was read. */
import { isRecord } from '../../base/json.ts';
import { MAC_HOSTS, type MacHost, type MacHostSpec, parseMacHost } from '../../kinds/mac-host.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import type { Changes } from '../../kube/controller/outcome.ts';

export const findHost = (
  name: string,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<MacHost | undefined> => readIfThere(MAC_HOSTS, { name }, context);

/** On the record as it was read: of two who write at once, one looks again. */
export const patchHost = async (
  host: MacHost,
  spec: object,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<MacHost> => {
  const { name, uid, resourceVersion } = host.metadata;
  const body = { metadata: { uid, resourceVersion }, spec };
  return kube.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal });
};

/** The same with whole fields: what a field had before and has not now is gone. Returns the record as stored. */
export const recordOn = async (
  host: MacHost,
  changes: Changes<MacHostSpec>,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<MacHost> => {
  const patch = diffMerge(host.spec, { ...host.spec, ...changes });
  return isRecord(patch) ? parseMacHost(await patchHost(host, patch, context)) : host;
};
