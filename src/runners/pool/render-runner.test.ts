import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { goldenLabelOf } from '../../kinds/labels.ts';
import { IMAGE, poolWith } from '../testing/runner-pods.ts';
import { type GuestSettings, nameRunner, renderAccount, renderRunner } from './render-runner.ts';

const SETTINGS: GuestSettings = { dispatchUrl: 'https://tuist.test/api/internal/runners/dispatch' };
const DNS = { ip: '10.0.0.10', domain: 'cluster.local' };

describe('the Pod of a runner (§3.3, §9.8-15)', () => {
  const { metadata, spec } = renderRunner(poolWith(), 'ci-runner-00000001', SETTINGS);
  const [container = assert.fail()] = spec.containers;

  it('goes to Macs of the fleet, and prefers those with a base of its image', () => {
    assert.deepEqual(spec.nodeSelector, {
      'kubernetes.io/os': 'darwin',
      'tuist.dev/runtime': 'tart',
      'tuist.dev/fleet': 'm2',
    });
    assert.deepEqual(spec.tolerations, [{ key: 'tuist.dev/macos', operator: 'Exists', effect: 'NoSchedule' }]);
    const [preferred = assert.fail()] =
      spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    assert.equal(preferred.weight, 100);
    assert.match(preferred.preference.matchExpressions?.[0]?.key ?? '', /^tuist\.dev\/golden-[0-9a-f]{16}$/);
  });

  it('would rather not go to a bad Mac, whatever base is there, and only says so when there is one (R14 of the runners)', () => {
    const preferences = (avoid: readonly string[]) =>
      renderRunner(poolWith(), 'a', { ...SETTINGS, avoid }).spec.affinity?.nodeAffinity
        ?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const golden = { key: goldenLabelOf(IMAGE), operator: 'Exists' };
    const elsewhere = { key: 'kubernetes.io/hostname', operator: 'NotIn', values: ['mac-1'] };
    assert.deepEqual(preferences([]), [{ weight: 100, preference: { matchExpressions: [golden] } }]);
    assert.deepEqual(preferences(['mac-1']), [
      { weight: 100, preference: { matchExpressions: [golden, elsewhere] } },
      { weight: 100, preference: { matchExpressions: [elsewhere] } },
    ]);
  });

  it('is one container that runs once, as large as the pool says', () => {
    const amounts = { cpu: '8000m', memory: '14336Mi' };
    assert.deepEqual(container.resources, { requests: amounts, limits: amounts });
    assert.deepEqual([container.name, container.image, spec.restartPolicy], ['runner', IMAGE, 'Never']);
    assert.deepEqual([container.command, spec.initContainers, spec.volumes], [undefined, undefined, undefined]);
  });

  it('has an account of its own name, whose token is put into the guest', () => {
    assert.deepEqual([spec.serviceAccountName, spec.automountServiceAccountToken], [metadata.name, true]);
    const account = renderAccount(poolWith(), metadata.name);
    assert.equal(account.automountServiceAccountToken, false);
    assert.deepEqual(account.metadata.labels, {
      'app.kubernetes.io/name': 'tuist-runner',
      'app.kubernetes.io/component': 'runner-sa',
      'tuist.dev/runner-pool': 'ci',
    });
  });

  it('belongs to its pool', () => {
    assert.deepEqual(metadata.labels, {
      'app.kubernetes.io/name': 'tuist-runner',
      'app.kubernetes.io/component': 'runner',
      'tuist.dev/runner': 'true',
      'tuist.dev/runner-pool': 'ci',
    });
    const [owner] = metadata.ownerReferences ?? [];
    assert.deepEqual([owner?.kind, owner?.uid, owner?.controller], ['RunnerPool', 'pool-uid', true]);
  });

  const rows = [
    {
      story: 'by default',
      spec: {},
      settings: SETTINGS,
      has: [],
      hasNot: ['TUIST_CLUSTER_DNS_IP', 'TUIST_RUNNER_IDLE_TIMEOUT_SECONDS'],
    },
    {
      story: 'with names of the cluster',
      spec: {},
      settings: { ...SETTINGS, clusterDns: DNS },
      has: ['TUIST_CLUSTER_DNS_IP', 'TUIST_CLUSTER_DOMAIN'],
      hasNot: [],
    },
    {
      story: 'that goes home when it is idle',
      spec: { idleTimeoutSeconds: 300 },
      settings: SETTINGS,
      has: ['TUIST_RUNNER_IDLE_TIMEOUT_SECONDS'],
      hasNot: [],
    },
  ];
  for (const { story, spec: poolSpec, settings, has, hasNot } of rows) {
    it(`tells the guest what it must know: ${story}`, () => {
      const [told = assert.fail()] = renderRunner(poolWith(poolSpec), 'r', settings).spec.containers;
      const names = (told.env ?? []).map(({ name }) => name);
      const always = [
        'TUIST_RUNNER_DISPATCH_URL',
        'TUIST_RUNNER_POOL',
        'TUIST_RUNNER_POD_NAME',
        'TUIST_RUNNER_POD_UID',
      ];
      for (const name of [...always, 'ACTIONS_RUNNER_PRINT_LOG_TO_STDOUT', ...has])
        assert.ok(names.includes(name), name);
      for (const name of hasNot) assert.ok(!names.includes(name), name);
    });
  }
});

describe('the name of a runner', () => {
  it('is of its pool and 8 hex digits', () =>
    assert.match(nameRunner('ci', createSeededRandom('names')), /^ci-runner-[0-9a-f]{8}$/));
});
