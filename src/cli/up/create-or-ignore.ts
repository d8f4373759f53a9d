/** Creating what may already be there, as after a restart with the same data: left as it is, or brought up to date. */
import { isKind } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { keyOf } from '../../kube/types/meta.ts';
import type { DemoObject } from '../../world/demo-fleet.ts';

export const createOrIgnore = async (
  client: KubeClient,
  { resource, object }: DemoObject,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await client.create(resource, object, { signal });
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
  }
};

export const createOrRenew = async (
  client: KubeClient,
  { resource, object }: DemoObject,
  signal: AbortSignal,
): Promise<void> => {
  const { metadata: _metadata, ...body } = object;
  await createOrIgnore(client, { resource, object }, signal);
  await client.patch(resource, keyOf(object), { type: 'merge', body }, { signal });
};
