/** For tests: MacHosts. */
import type { MacHostSpec } from '../mac-host.ts';

export const SERVER_ID = '6d1ab8b4-9c0b-4b43-8f0d-6f6a1c2e7d10';

/** A free host, with `spec` laid over it. */
export const hostWith = (spec: Readonly<Record<string, unknown>> = {}, name: string = SERVER_ID) => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'MacHost',
  metadata: { name },
  spec: {
    source: { scaleway: { projectID: '1b2c', zone: 'fr-par-1', serverID: SERVER_ID } },
    pool: { prefix: 'tuist-pool-' },
    type: 'M2-L',
    osFamily: 'Tahoe',
    ordered: false,
    wipes: 3,
    epoch: 7,
    ...spec,
  },
});

export const CLAIM: NonNullable<MacHostSpec['claimRef']> = {
  namespace: 'tuist',
  name: 'mac-1',
  uid: '0f1e2d3c-0000-4000-8000-000000000001',
};

export const RELEASE: NonNullable<MacHostSpec['release']> = {
  intentID: 'a7c3',
  policy: 'pool',
  reason: 'MachineDeleted',
  requestedAt: '2026-11-15T10:00:00Z',
};
