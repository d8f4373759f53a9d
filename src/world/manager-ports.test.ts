import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { silentLogger } from '../base/logger.ts';
import { createHostIo } from '../kube/client/login/host-io.ts';
import { createRuntimeMetrics } from '../kube/manager/metrics.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { NAMESPACES } from '../kube/types/core.ts';
import { NO_ORDERS } from '../provider/host/plan-order.ts';
import { type FleetRules, openProvider } from './manager-ports.ts';

const RULES: FleetRules = {
  ...{ namespace: 'ci', secretsNamespace: 'tuist', remoteAccount: '', spread: undefined },
  limits: { rebootAfter: 1, releaseAfter: 2, reinstallsPerHour: 3 },
  roll: { cap: 4, retryAfterMs: 5, paceMs: 6, settleMs: 7, fraction: 0.5 },
  poolNamespaces: new Map([['tuist-pool-', new Set(['ci'])]]),
  ...{ orders: NO_ORDERS, machineWorkers: 4 },
};

const open = async (context: TestContext, rules: FleetRules) => {
  const { client, clock, random } = createHarness();
  const signal = neverAborted();
  await client.create(NAMESPACES, { metadata: { name: 'kube-system' } }, { signal });
  const access = async () => ({ forMacs: 'https://macs', forCore: 'https://core', authority: 'the authority' });
  const deps = { client, clock, random, logger: silentLogger, host: createHostIo(), env: {}, access, rules };
  const work = { on: 'simulated-macs', macs: 0, speedUp: 100 } as const;
  const { ports, close } = await openProvider(work, { ...deps, metrics: createRuntimeMetrics() }, signal);
  context.after(close);
  return ports;
};

describe('what an operator allows and wants reaches the provider', () => {
  it('limits, pools and the namespace', async (context) => {
    const { settings, remote, spread } = await open(context, RULES);
    const { limits, roll, poolNamespaces } = RULES;
    assert.partialDeepStrictEqual(settings, { limits, roll, poolNamespaces });
    assert.equal(settings.namespace, 'ci');
    assert.deepEqual([remote, spread], [undefined, undefined]);
  });

  it('the account of core, with the address that core uses', async (context) => {
    const { remote } = await open(context, { ...RULES, remoteAccount: 'capi-remote' });
    assert.partialDeepStrictEqual(remote, {
      ...{ server: 'https://core', authority: 'the authority' },
      account: { namespace: 'tuist', name: 'capi-remote' },
    });
  });

  it('the Deployment to spread', async (context) => {
    const { spread } = await open(context, { ...RULES, spread: { namespace: 'web', name: 'site' } });
    assert.partialDeepStrictEqual(spread, { namespace: 'web', name: 'site' });
  });
});
