/** Creating what may already be there, as after a restart with the same data: left as it is. */
import { isKind } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { DemoObject } from '../../world/demo-fleet.ts';

export const createOrIgnore = async (
  client: KubeClient,
  { resource, object }: DemoObject,
  signal: AbortSignal,
): Promise<'created' | 'was there'> => {
  try {
    await client.create(resource, object, { signal });
    return 'created';
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
    return 'was there';
  }
};
