import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { FleetError } from '../base/errors.ts';
import { createLogger } from '../base/logger.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { LEASES, type Lease } from '../kube/types/coordination.ts';
import { refuseRival } from './manager-rival.ts';

const OWN = { namespace: 'macfleet', name: 'manager' };
const signal = neverAborted();

const leaseIn = (namespace: string, holderIdentity: string): Lease => ({
  metadata: { namespace, name: OWN.name },
  spec: { holderIdentity, leaseDurationSeconds: 15 },
});

const stage = () => {
  const { client, clock, advance } = createHarness();
  const said: string[] = [];
  const logger = createLogger({ clock, level: 'info', destination: { write: (line) => said.push(line) } });
  return { client, clock, advance, logger, said };
};

describe('a manager that starts', () => {
  const rows: readonly { story: string; there: readonly Lease[] }[] = [
    { story: 'starts where no lease is', there: [] },
    { story: 'starts beside its own lease', there: [leaseIn('macfleet', 'somebody')] },
    { story: 'starts beside a lease elsewhere that was given back', there: [leaseIn('tuist', '')] },
    {
      story: 'starts beside a lease of another name',
      there: [{ ...leaseIn('tuist', 'a'), metadata: { namespace: 'tuist', name: 'another' } }],
    },
  ];
  for (const { story, there } of rows) {
    it(story, async () => {
      const deps = stage();
      for (const lease of there) await deps.client.create(LEASES, lease, { signal });
      await refuseRival(deps, OWN, signal);
    });
  }

  it('starts beside a lease elsewhere that nobody renews, once its time is over', async () => {
    const deps = stage();
    await deps.client.create(LEASES, leaseIn('tuist', 'the original'), { signal });
    const starting = refuseRival(deps, OWN, signal);
    await deps.advance(15_000);
    await starting;
  });

  it('R27 does not start beside a lease elsewhere that is renewed, and says where', async () => {
    const deps = stage();
    const lease = await deps.client.create(LEASES, leaseIn('tuist', 'the original'), { signal });
    const starting = refuseRival(deps, OWN, signal);
    await deps.advance(2_000);
    await deps.client.update(LEASES, { ...lease, spec: { ...lease.spec, leaseTransitions: 1 } }, { signal });
    await Promise.all([
      assert.rejects(starting, { code: 'LeaseElsewhere', hint: /--lease-namespace tuist/ }),
      deps.advance(13_000),
    ]);
  });

  it('starts when it may not look, and says so', async () => {
    const deps = stage();
    const denied = new FleetError('denied', { code: 'Forbidden', message: 'no' });
    const client: KubeClient = { ...deps.client, list: () => Promise.reject(denied) };
    await refuseRival({ ...deps, client }, OWN, signal);
    assert.match(deps.said.join(), /Not allowed to list Leases/);
  });
});
