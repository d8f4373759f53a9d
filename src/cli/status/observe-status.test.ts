/** What a person reads about a fleet, from lists alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { FleetLists } from '../fleet/fleet-kinds.ts';
import { LIST_PRICES } from '../fleet/prices.ts';
import { observeStatus } from './observe-status.ts';
import { renderStatus } from './render-status.ts';

const NOW = '2026-11-17T12:00:00Z';
const nowMs = Date.parse(NOW);
const MAC = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

type Loose = Record<string, unknown>;
const named = (name: string, fields: Loose = {}, metadata: Loose = {}) => ({
  metadata: { name, namespace: 'ci', creationTimestamp: '2026-11-17T11:00:00Z', ...metadata },
  ...fields,
});
const condition = (type: string, status: string, reason = '', message = '') => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-11-17T11:50:00Z',
});
const host = (name: string, spec: Loose, status: Loose) =>
  named(name, {
    spec: { source: { scaleway: { projectID: 'p', zone: 'z', serverID: name } }, type: 'M2-L', ...spec },
    status: { stateSince: '2026-11-17T11:55:00Z', ...status },
  });
const NODE = {
  metadata: { name: 'mac-1', labels: { 'tuist.dev/runtime': 'tart' } },
  spec: { providerID: `scw-applesilicon://fr-par-1/${MAC}` },
  status: { conditions: [condition('Ready', 'True')] },
};
const MAC_POD = { tolerations: [{ key: 'tuist.dev/macos' }], containers: [] };

/** Kinds that are not given are empty. */
const lists = (given: Partial<Record<keyof FleetLists, unknown>>): FleetLists => {
  const listed = (key: keyof FleetLists) => {
    const value = given[key] ?? [];
    return Array.isArray(value) ? { is: 'listed', items: value as readonly KubeObject[] } : value;
  };
  const keys = ['hosts', 'machines', 'nodes', 'pods', 'jobs', 'pools', 'clusters'] as const;
  return Object.fromEntries(keys.map((key) => [key, listed(key)])) as unknown as FleetLists;
};
const observe = (given: Parameters<typeof lists>[0], namespace?: string) =>
  observeStatus(lists(given), { prices: LIST_PRICES, namespace });

const JOINED = host(
  MAC,
  { claimRef: { namespace: 'ci', name: 'mac-1', uid: 'u-1' } },
  {
    ...{ state: 'joined', conditions: [condition('Ready', 'True')] },
    server: { name: 'mac-1', deletableAt: '2026-11-17T15:00:00Z' },
  },
);

describe('the status of a fleet', () => {
  it('joins a Mac with its machine, its Node, its Pods, its lease and its price', () => {
    const pods = [
      named('job-a', { spec: { ...MAC_POD, nodeName: 'mac-1' }, status: { phase: 'Running' } }),
      named('linux', { spec: { nodeName: 'worker', containers: [] }, status: { phase: 'Running' } }),
    ];
    const status = observe({ hosts: [JOINED], nodes: [NODE, { metadata: { name: 'worker' } }], pods });
    const [mac] = status.macs;
    assert.deepEqual(
      [mac?.state, mac?.machine, mac?.node, mac?.podsRunning, mac?.eurosPerMonth],
      ['joined', 'ci/mac-1', 'Ready', 1, 159],
    );
    assert.deepEqual([status.nodes, status.pods.total, status.waits], [{ ready: 1, total: 1 }, 1, []]);
    const text = renderStatus(status, { nowMs });
    assert.match(text, /Macs {7}1 joined\nCost {7}159 € per month\n/);
    assert.match(text, /joined {2}5m .* ci\/mac-1 {2}Ready {2}1 {5}3h left {2}159/);
    assert.match(text, /Nothing waits\.$/);
  });

  const waits: readonly { story: string; given: Parameters<typeof lists>[0]; is: string }[] = [
    {
      story: 'a Mac that is held says why, and by which message',
      given: {
        hosts: [
          host(
            MAC,
            { hold: { reason: 'OwnerVanished', message: 'ci/mac-1 is gone', since: '2026-11-17T09:00:00Z' } },
            { state: 'held' },
          ),
        ],
      },
      is: `mac/${MAC} 3h OwnerVanished: ci/mac-1 is gone`,
    },
    {
      story: 'a Mac that is prepared says at which step',
      given: {
        hosts: [
          host(
            MAC,
            {},
            {
              state: 'preparing',
              conditions: [condition('Ready', 'False', 'NotReady')],
              operation: { kind: 'bootstrap', epoch: 1, startedAt: NOW, steps: [{ id: 'tart', state: 'running' }] },
            },
          ),
        ],
      },
      is: `mac/${MAC} 5m NotReady, at step tart`,
    },
    {
      story: 'a machine without a Mac says why',
      given: {
        machines: [
          named('mac-2', {
            spec: {},
            status: { conditions: [condition('Provisioned', 'False', 'NoAvailableHost', 'no free Mac')] },
          }),
        ],
      },
      is: 'machine/ci/mac-2 10m NoAvailableHost: no free Mac',
    },
    {
      story: 'a machine that nobody looked at',
      given: { machines: [named('mac-2', { spec: {} })] },
      is: 'machine/ci/mac-2 60m nobody has looked at it yet: is a manager running?',
    },
    {
      story: 'a machine whose Mac is gone for good',
      given: { machines: [named('mac-2', { spec: {}, status: { phase: 'Failed', ready: false } })] },
      is: 'machine/ci/mac-2 - its Mac is lost, and it is to be replaced',
    },
    {
      story: 'a machine that is paused',
      given: { machines: [named('mac-2', { spec: {} }, { annotations: { 'cluster.x-k8s.io/paused': '' } })] },
      is: 'machine/ci/mac-2 - it is paused (annotation cluster.x-k8s.io/paused)',
    },
    {
      story: 'a Pod that no Node takes',
      given: {
        pods: [
          named('p', {
            spec: MAC_POD,
            status: {
              phase: 'Pending',
              conditions: [condition('PodScheduled', 'False', 'Unschedulable', '0/1 nodes')],
            },
          }),
        ],
      },
      is: 'pod/ci/p 10m Unschedulable: 0/1 nodes',
    },
    {
      story: 'a Pod that does not go',
      given: {
        pods: [
          named(
            'p',
            { spec: MAC_POD, status: { phase: 'Succeeded' } },
            { deletionTimestamp: '2026-11-14T12:00:00Z', finalizers: ['tart-kubelet.tuist.dev/vm-cleanup'] },
          ),
        ],
      },
      is: 'pod/ci/p 3d being deleted, held by tart-kubelet.tuist.dev/vm-cleanup',
    },
    {
      story: 'a Job that failed',
      given: {
        jobs: [
          named('j', {
            spec: { template: { spec: MAC_POD } },
            status: { conditions: [condition('Failed', 'True', 'BackoffLimitExceeded')] },
          }),
        ],
      },
      is: 'job/ci/j 10m failed: BackoffLimitExceeded',
    },
    {
      story: 'a pool of runners says what is not so, rather than that it is not ready',
      given: {
        pools: [
          named('ci', {
            spec: { replicas: 2 },
            status: {
              conditions: [condition('Ready', 'False'), condition('FleetReady', 'False', 'NoReadyNode', 'of fleet x')],
            },
          }),
        ],
      },
      is: 'runnerpool/ci/ci 10m NoReadyNode: of fleet x',
    },
    {
      story: 'a Cluster that is paused',
      given: { clusters: [named('demo', { spec: { paused: true } })] },
      is: 'cluster/ci/demo - the Cluster is paused',
    },
  ];
  for (const { story, given, is } of waits) {
    it(`tells what waits: ${story}`, () => {
      const text = renderStatus(observe(given), { nowMs });
      const table = text.slice(text.indexOf('WAITS'));
      assert.deepEqual(table.replaceAll(/ {2,}/g, ' ').split('\n').slice(1), [is]);
    });
  }

  it('keeps to a namespace: no Mac of another, and none of nobody', () => {
    const theirs = host(OTHER, { claimRef: { namespace: 'other', name: 'x', uid: 'u' } }, { state: 'joined' });
    assert.deepEqual(
      observe({ hosts: [JOINED, theirs, host('33', {}, { state: 'free' })] }, 'ci').macs.map(({ id }) => id),
      [MAC],
    );
  });

  it('reads a fleet of the Go original from its machines, and says so', () => {
    const machine = named('mac-1', { spec: { type: 'M2-L' }, status: { serverID: MAC, phase: 'Ready', ready: true } });
    const status = observe({ hosts: { is: 'absent' }, machines: [machine], nodes: [NODE] });
    assert.deepEqual([status.macs[0]?.id, status.macs[0]?.node, status.waits], [MAC, 'Ready', []]);
    assert.match(status.notes.join(), /run by the Go original/);
  });

  it('says what it could not read, and that Cluster API is missing', () => {
    const error = new FleetError('denied', { code: 'Forbidden', message: 'no' });
    const { notes } = observe({ pods: { is: 'denied', error }, clusters: { is: 'absent' } });
    assert.match(notes[0] ?? '', /Cluster API core .* is not installed/);
    assert.equal(notes[1], 'Pods are not shown: this login may not list them.');
  });

  it('counts a Mac of an unknown type apart instead of calling it free of charge', () => {
    const { cost } = observe({ hosts: [host(MAC, { type: 'M9-X' }, { state: 'free' })] });
    assert.deepEqual(cost, { eurosPerMonth: 0, macsWithoutPrice: 1 });
  });
});
