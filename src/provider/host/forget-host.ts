/** Takes the record of a Mac away, as it was read: whoever changed it meanwhile had a reason. */
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import { ifThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';

export const forgetHost = async (
  { metadata }: MacHost,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<void> => {
  const { name, uid, resourceVersion } = metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  await ifThere(kube.delete(MAC_HOSTS, { name }, { preconditions, signal }));
};
