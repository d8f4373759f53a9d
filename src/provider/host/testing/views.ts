/** Views of a host for tables: what a row does not say is as it mostly is. */
import { toTimestamp } from '../../../base/clock.ts';
import type { MacHostSpec } from '../../../kinds/mac-host.ts';
import { parseMacHost } from '../../../kinds/mac-host.ts';
import type { CloudServer } from '../../../scaleway/port/cloud.ts';
import type { HostPlan, HostView } from '../host-view.ts';
import { DEFAULT_LIMITS } from '../ports.ts';
import type { LastWrite } from '../recorded-write.ts';

export const NOW = Date.UTC(2026, 5, 1);
export const ID = '11111111-2222-4333-8444-555555555555';
/** What the next new name or request gets. */
export const UUID = '99999999-8888-4777-8666-555555555555';
export const POOL = `tuist-pool-${ID}`;
/** Named after the machine of `CLAIM`. */
export const PENDING = `tuist-claim-pending-${ID}`;
export const RELEASING = `tuist-releasing-0a1b2c3d-${ID}`;
export const QUARANTINE = `tuist-quarantine-0a1b2c3d-${ID}`;
export const ORDERED = `tuist-ordered-0a1b2c3d-${ID}`;
export const TIMES = { claimHoldMs: 40_000, quietMs: 60_000, recordMaxAgeMs: 30_000, pollMs: 10_000 };
export const CLAIM = { namespace: 'ci', name: 'mac-1', uid: ID };
/** A host whose machine has it. */
export const CLAIMED = { claimRef: CLAIM, assignedName: { current: 'mac-1' } };
export const RELEASE = { intentID: 'i-1', policy: 'pool', reason: 'MachineDeleted' } as const;

export const at = (agoMs: number): string => toTimestamp(NOW - agoMs);
export const wrote = (verb: LastWrite['verb'], agoMs: number): LastWrite => ({ verb, id: 'w', at: at(agoMs) });
/** The record of a write that is decided now. */
export const fresh = (verb: LastWrite['verb']): LastWrite => ({ verb, id: UUID, at: at(0) });

export const specOf = (fields: Partial<MacHostSpec> | Record<string, unknown> = {}): MacHostSpec =>
  parseMacHost({
    metadata: { name: ID },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: ID } },
      pool: { prefix: 'tuist-pool-' },
      type: 'M2-L',
      osFamily: 'Tahoe',
      ...fields,
    },
  }).spec;

export const serverOf = (
  name: string,
  status: CloudServer['status'] = 'ready',
  more: Partial<CloudServer> = {},
): CloudServer => ({
  id: ID,
  zone: 'fr-par-1',
  projectId: 'p',
  name,
  type: 'M2-L',
  status,
  osFamily: 'Tahoe',
  isDelivered: true,
  address: '192.0.2.1',
  sshUser: 'm1',
  deletableAtMs: undefined,
  isDeletionScheduled: false,
  ...more,
});

/** What is given of a view; the spec in part. */
export type Given = Partial<Omit<HostView, 'spec' | 'census'>> & {
  readonly spec: Partial<MacHostSpec> | Record<string, unknown>;
  readonly census?: Partial<ReturnType<HostView['census']>>;
};

export const viewOf = ({ spec, census, ...given }: Given): HostView => ({
  nowMs: NOW,
  server: undefined,
  isGone: false,
  owner: 'names-it',
  isClusterActive: false,
  isProvisioned: false,
  node: 'absent',
  isUnsent: false,
  diagnosis: undefined,
  configHash: 'config-1',
  isTurnToRoll: false,
  clusterId: '0a1b2c3d',
  times: TIMES,
  limits: DEFAULT_LIMITS,
  uuid: () => UUID,
  ...given,
  spec: specOf(spec),
  census: () => ({ size: 9, quarantined: 0, wipedLastHour: 0, vanishedTogether: 0, silences: [], ...census }),
});

/** A plan to store this. */
export const store = (spec: Partial<MacHostSpec> | Record<string, unknown>): HostPlan => ({ do: 'store', spec });

/** The plan without its event: what is said beside is for people. */
export const quietly = (plan: HostPlan): HostPlan => {
  if (plan.do !== 'store') return plan;
  return { do: 'store', spec: plan.spec };
};

/** A plan to give the server this name, put on record in the same pass. */
export const renaming = (from: string, to: string): HostPlan => ({
  do: 'rename',
  to,
  record: { assignedName: { current: from, next: to }, lastWrite: fresh('rename') },
});
