/** Two managers that both believe to lead, because their Leases are in different namespaces (R27). */
import { parseTimestamp } from '../../../base/clock.ts';
import { LEASE_NAMES } from '../../../kinds/names.ts';
import type { Lease } from '../../../kube/types/coordination.ts';
import type { AuditRule } from '../finding.ts';

const DURATION_SECONDS = 15;

const isAlive = ({ spec }: Lease, nowMs: number): boolean => {
  const renewedMs = parseTimestamp(spec?.renewTime);
  const lifeMs = (spec?.leaseDurationSeconds ?? DURATION_SECONDS) * 1_000;
  return (spec?.holderIdentity ?? '') !== '' && renewedMs !== undefined && nowMs - renewedMs < 2 * lifeMs;
};

export const twoLeaders: AuditRule = {
  code: 'TwoLeaders',
  about: 'two managers of Macs that lead at the same time',
  why: 'Each acts on its own: two of the original claim and wipe the same Macs.',
  needs: ['leases'],
  judge: ({ leases }, { nowMs }) => {
    const alive = leases.filter((lease) => lease.metadata.name === LEASE_NAMES.manager && isAlive(lease, nowMs));
    if (alive.length < 2) return [];
    const who = alive.map(({ metadata, spec }) => `${spec?.holderIdentity} (namespace ${metadata.namespace})`);
    return [
      {
        severity: 'page',
        subject: `lease/${LEASE_NAMES.manager}`,
        what: `${who.join(' and ')} both renew it`,
        wayOut: ['Stop one of them: kubectl -n <namespace> scale deployment <manager> --replicas=0'],
      },
    ];
  },
};
