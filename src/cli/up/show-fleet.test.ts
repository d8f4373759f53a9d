/** How what was asked for ends, on an API without controllers: everything in it was put there. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { createSystemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { ADMIN } from '../../controlplane/auth/user.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { type ServedControlPlane, serveControlPlane } from '../../controlplane/serve-control-plane.ts';
import { ALL_KINDS } from '../../kinds/all-kinds.ts';
import { toCustomResourceDefinition } from '../../kinds/schema/crd.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../kube/types/extensions.ts';
import { createDispatchStage } from '../../sim/dispatch/testing/dispatch-stage.ts';
import { completeFlags } from './complete-flags.ts';
import { createDisplay } from './display.ts';
import { readExample } from './read-examples.ts';
import { showFleet } from './show-fleet.ts';
import type { GivenFlags } from './up-flags.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const LIMIT = { timeout: 60_000 };

const FLAGS: GivenFlags = {
  ...{ timeout: 20_000, clean: false, json: false, port: 0, provider: 'here', log: false },
  ...{ chaos: false, compare: false, fleet: ['macos', 'runners'], until: 'jobs-done' },
};

describe('a fleet that is shown', LIMIT, () => {
  let plane: ServedControlPlane;
  beforeEach(async () => {
    plane = await serveControlPlane({ clock, random, logger: silentLogger, port: 0 });
    const options = { signal: neverAborted() };
    for (const kind of ALL_KINDS)
      await plane.clientFor(ADMIN).create(CUSTOM_RESOURCE_DEFINITIONS, toCustomResourceDefinition(kind), options);
  });
  afterEach(() => plane.close());

  const show = async (given: Partial<GivenFlags>, dispatch: ReturnType<typeof createDispatchStage>['dispatch']) => {
    let said = '';
    const stdout = (text: string): void => {
      said += text;
    };
    const io = { stdout, stderr: assert.fail, env: {}, signal: new AbortController().signal };
    const [client, ended] = [plane.clientFor(ADMIN), new Promise<void>(() => undefined)];
    const display = createDisplay(io, 'text', clock.now());
    const flags = completeFlags({ ...FLAGS, ...given }, 'linux');
    const showing = { clock, random, logger: silentLogger, flags, display, hints: '' };
    const shown = showFleet({ ...showing, fleet: { client, ended, runners: { dispatch } } }, io.signal);
    await shown.catch(() => undefined);
    return { shown: () => shown, said };
  };

  it('fails when its jobs are over and one was cancelled, or failed', async ({ signal }) => {
    const { dispatch } = createDispatchStage();
    const client = plane.clientFor(ADMIN);
    const key = { namespace: 'default', name: 'hello-macos' };
    for (const { resource, object } of readExample('job')) await client.create(resource, object, { signal });
    const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'it failed too often' };
    const status = {
      startTime: '2026-01-01T00:00:00Z',
      failed: 1,
      conditions: [{ ...failed, type: 'FailureTarget' }, failed],
    };
    await client.patch(JOBS, key, { type: 'merge', body: { status } }, { signal, subresource: 'status' });
    // The flow queues its one job when the Macs are there, which here nobody wants.
    const stopHearing = dispatch.onEntry(({ event }) => {
      if (event === 'queued') setImmediate(() => dispatch.cancel(1_001));
    });
    const { shown, said } = await show({ jobs: 1 }, dispatch);
    stopHearing();
    await assert.rejects(shown(), { code: 'JobsFailed', kind: 'unavailable', message: '2 jobs did not succeed' });
    assert.match(
      said,
      /^Not all is well:\n {2}Job hello-macos failed: it failed too often\n {2}CI job 1001 did not run to its end: cancelled\.$/m,
    );
    assert.doesNotMatch(said, /The Job is done/);
  });

  it('says what is missing when time is up, by what is wanted and not by what was typed', async ({ signal }) => {
    const client = plane.clientFor(ADMIN);
    for (const { resource, object } of readExample('fleet-macos')) await client.create(resource, object, { signal });
    const body = { spec: { replicas: 7 } };
    const key = { namespace: 'default', name: 'macos' };
    await client.patch(CLUSTER_API_RESOURCES.machineDeployments, key, { type: 'merge', body }, { signal });
    const { shown, said } = await show({ until: 'ready', timeout: 1_000 }, createDispatchStage().dispatch);
    await assert.rejects(shown(), { code: 'NotReached' });
    assert.match(said, /^Not ready yet:\n {2}No Mac .*\n {2}0 of 7 Macs are ready Nodes\.\n {2}0 of 7 Machines/m);
  });
});
