/** Puts a planted problem into a cluster. */
import assert from 'node:assert/strict';
import { AUDITED_KINDS } from '../../src/cli/audit/audited-kinds.ts';
import type { Planted } from '../../src/cli/audit/testing/wreck.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import type { Resource } from '../../src/kube/types/resource.ts';

const RESOURCES: Readonly<Record<string, Resource<KubeObject>>> = {
  ...AUDITED_KINDS,
  serviceAccounts: SERVICE_ACCOUNTS,
};

/** As the API takes it: status by its own door, and a deletion that a finalizer holds up. */
export const plant = async (
  client: KubeClient,
  { resource: key, object, after }: Planted,
  signal: AbortSignal,
): Promise<void> => {
  const resource = RESOURCES[key];
  assert.ok(resource !== undefined, key);
  const made = await client.create(resource, object, { signal });
  const { metadata } = made;
  if (key === 'machines') {
    const patch = { type: 'merge', body: { status: object['status'] } } as const;
    await client.patch(resource, metadata, patch, { subresource: 'status', signal });
  }
  if (after === 'delete') await client.delete(resource, metadata, { gracePeriodSeconds: 0, signal });
};
