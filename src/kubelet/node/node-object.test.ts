import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Node } from '../../kube/types/core.ts';
import type { Concern, Finding } from './node-facts.ts';
import { planLabels, planProviderId, planStatus, renderNode } from './node-object.ts';
import { FACTS, WELL } from './testing/node-samples.ts';

const NOW_MS = Date.parse('2026-11-16T10:00:00Z');
const LATER_MS = NOW_MS + 90_000;

const ill = (concern: Concern, reason: string, message: string, runningVms = 0) => ({
  ...WELL,
  runningVms,
  findings: { ...WELL.findings, [concern]: { is: 'ill', reason, message } satisfies Finding },
});

const conditionOf = (status: Node['status'], wanted: string) => status?.conditions?.find(({ type }) => type === wanted);

describe('the Node of a Mac', () => {
  it('is registered with provider id, taint, labels, capacity and addresses (§9.1-1)', () => {
    const { metadata, spec, status } = renderNode(FACTS, WELL, NOW_MS);
    assert.equal(spec?.providerID, 'scw-applesilicon://fr-par-1/abc');
    assert.deepEqual(spec?.taints, [{ key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' }]);
    assert.deepEqual(metadata.labels, {
      'tuist.dev/fleet': 'ci',
      'kubernetes.io/hostname': 'mac-1',
      'kubernetes.io/os': 'darwin',
      'kubernetes.io/arch': 'arm64',
      'tuist.dev/runtime': 'tart',
    });
    assert.deepEqual(status?.capacity, { cpu: '8', memory: '16384Mi', pods: '2', 'ephemeral-storage': '494384795648' });
    assert.deepEqual(status?.allocatable, status?.capacity);
    assert.deepEqual(metadata.annotations, { 'macfleet.tuist.dev/agent-version': 'tart-kubelet-v0' });
    assert.equal(status?.nodeInfo?.kubeletVersion, '', 'Cluster API would want Machines to name it');
    assert.deepEqual(status?.addresses, [
      { type: 'InternalIP', address: '10.0.0.7' },
      { type: 'Hostname', address: 'mac-1' },
    ]);
    assert.equal(status?.daemonEndpoints?.kubeletEndpoint?.Port, 10_250);
  });

  const PROVIDER_IDS = [
    { story: '§9.1-2 none there: it gets ours', stored: undefined, ours: 'scw://z/1', set: 'scw://z/1' },
    { story: 'an empty one there: it gets ours', stored: '', ours: 'scw://z/1', set: 'scw://z/1' },
    { story: '§9.1-3 another one there: it stays', stored: 'scw://z/2', ours: 'scw://z/1', set: undefined },
    { story: 'we have none: nothing is set', stored: undefined, ours: '', set: undefined },
  ];
  for (const { story, stored, ours, set } of PROVIDER_IDS) {
    it(`has its provider id set once: ${story}`, () => {
      const node: Node = { metadata: { name: 'mac-1' }, spec: stored === undefined ? {} : { providerID: stored } };
      assert.equal(planProviderId(node, { providerId: ours }), set);
    });
  }

  const LABELS = [
    {
      story: '§9.1-8 those of an earlier fleet go, those of others and the runtime stay',
      stored: {
        'tuist.dev/fleet': 'old',
        'tuist.dev/golden-0': 'true',
        'example.com/a': '1',
        'tuist.dev/runtime': 'tart',
      },
      dynamicLabels: {},
      has: { 'tuist.dev/fleet': 'ci', 'example.com/a': '1', 'tuist.dev/runtime': 'tart' },
      hasNot: ['tuist.dev/golden-0'],
    },
    {
      story: '§9.1-4 those that come and go are there beside those of the flags',
      stored: {},
      dynamicLabels: { 'tuist.dev/golden-1': 'true' },
      has: { 'tuist.dev/fleet': 'ci', 'tuist.dev/golden-1': 'true' },
      hasNot: [],
    },
  ];
  for (const { story, stored, dynamicLabels, has, hasNot } of LABELS) {
    it(`keeps its labels: ${story}`, () => {
      const labels = planLabels(stored, FACTS, { dynamicLabels });
      for (const [key, value] of Object.entries(has)) assert.equal(labels[key], value, key);
      for (const key of hasNot) assert.equal(labels[key], undefined, key);
    });
  }

  it('says the same again in the same words and at the same times, whatever the clock says', () => {
    const first = planStatus(undefined, { facts: FACTS, state: WELL }, NOW_MS);
    assert.deepEqual(planStatus(first, { facts: FACTS, state: WELL }, LATER_MS), first);
    const pressed = planStatus(
      first,
      { facts: FACTS, state: ill('disk', 'TartKubeletHasDiskPressure', '9 %') },
      LATER_MS,
    );
    const still = { facts: FACTS, state: ill('disk', 'TartKubeletHasDiskPressure', '8 %') };
    assert.deepEqual(planStatus(pressed, still, LATER_MS + 60_000), pressed);
  });

  it('is Ready again after somebody else said that he does not know (§9.1-5)', () => {
    const stored = {
      conditions: [
        { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', lastTransitionTime: 'then' },
      ] as const,
    };
    const ready = conditionOf(planStatus(stored, { facts: FACTS, state: WELL }, NOW_MS), 'Ready');
    assert.deepEqual([ready?.status, ready?.reason], ['True', 'TartKubeletReady']);
    assert.equal(ready?.lastTransitionTime, '2026-11-16T10:00:00Z');
  });

  it('keeps the conditions that others wrote', () => {
    const foreign = { type: 'FrequentRestart', status: 'False' } as const;
    const { conditions } = planStatus({ conditions: [foreign] }, { facts: FACTS, state: WELL }, NOW_MS);
    assert.deepEqual(conditions?.[0], foreign);
  });

  it('says nothing in no words: an API server would not keep that, and be told again and again', () => {
    const { conditions = [] } = planStatus(undefined, { facts: FACTS, state: WELL }, NOW_MS);
    assert.ok(conditions.length > 0);
    assert.deepEqual(
      conditions.filter(({ message }) => message === ''),
      [],
    );
  });

  it('leaves amounts as an API server wrote them, and changes those that mean something else', () => {
    const written = { cpu: '8', memory: '16Gi', pods: '2', 'ephemeral-storage': '500G' };
    const state = { ...WELL, diskTotalBytes: 500e9 };
    const stored = { capacity: written, allocatable: written };
    const { capacity, allocatable } = planStatus(stored, { facts: FACTS, state }, NOW_MS);
    assert.deepEqual([capacity, allocatable], [written, written]);
    const smaller = { ...FACTS, capacity: { ...FACTS.capacity, memoryMib: 14_336 } };
    assert.equal(planStatus(stored, { facts: smaller, state }, NOW_MS).capacity?.['memory'], '14336Mi');
  });

  it('keeps the size of its disk while nobody can measure it (§9.1-7)', () => {
    const first = planStatus(undefined, { facts: FACTS, state: WELL }, NOW_MS);
    const { capacity } = planStatus(first, { facts: FACTS, state: { ...WELL, diskTotalBytes: undefined } }, NOW_MS);
    assert.equal(capacity?.['ephemeral-storage'], '494384795648');
  });
});

describe('what a Node says of its Mac (§9.1-6)', () => {
  const PRESSURE = ill('disk', 'TartKubeletHasDiskPressure', '4 % of the disk is free');
  const UNKNOWN = {
    ...WELL,
    findings: { ...WELL.findings, disk: { is: 'unknown', message: 'statfs failed' } as const },
  };
  const STORIES = [
    { story: 'well from the start', states: [WELL], says: ['False', 'TartKubeletHasSufficientDisk'] },
    { story: 'pressed', states: [WELL, PRESSURE], says: ['True', 'TartKubeletHasDiskPressure'] },
    { story: 'recovered', states: [PRESSURE, WELL], says: ['False', 'TartKubeletHasSufficientDisk'] },
    {
      story: 'pressed, then nobody could look',
      states: [PRESSURE, UNKNOWN],
      says: ['True', 'TartKubeletHasDiskPressure'],
    },
    { story: 'nobody could ever look', states: [UNKNOWN], says: ['False', 'TartKubeletHasSufficientDisk'] },
  ];
  for (const { story, states, says } of STORIES) {
    it(`DiskPressure: ${story}`, () => {
      let status: Node['status'];
      for (const [at, state] of states.entries()) status = planStatus(status, { facts: FACTS, state }, NOW_MS + at);
      const condition = conditionOf(status, 'DiskPressure');
      assert.deepEqual([condition?.status, condition?.reason], says);
    });
  }

  it('is not ready without a graphical session, and takes no Pods (§7-5)', () => {
    const status = planStatus(undefined, { facts: FACTS, state: ill('guiSession', 'SessionMissing', 'none') }, NOW_MS);
    assert.equal(conditionOf(status, 'GuiSession')?.status, 'False');
    assert.deepEqual(
      [conditionOf(status, 'Ready')?.status, conditionOf(status, 'Ready')?.reason],
      ['False', 'SessionMissing'],
    );
    assert.equal(status.allocatable?.['pods'], '0');
    assert.equal(status.capacity?.['pods'], '2');
  });

  it('says that nobody can tell whether there is a session, and takes no Pods until somebody can', () => {
    const unseen: Finding = { is: 'unknown', reason: 'GuiSessionUnseen', message: 'sudo failed' };
    const stateOf = (runningVms: number) => ({
      ...WELL,
      runningVms,
      findings: { ...WELL.findings, guiSession: unseen },
    });
    for (const [runningVms, ready] of [
      [0, 'False'],
      [1, 'True'],
    ] as const) {
      const before = planStatus(undefined, { facts: FACTS, state: WELL }, NOW_MS);
      const status = planStatus(before, { facts: FACTS, state: stateOf(runningVms) }, LATER_MS);
      const { status: said, reason, message } = conditionOf(status, 'GuiSession') ?? {};
      assert.deepEqual([said, reason, message], ['Unknown', 'GuiSessionUnseen', 'sudo failed']);
      assert.equal(conditionOf(status, 'Ready')?.status, ready);
      assert.equal(status.allocatable?.['pods'], '0');
    }
  });

  it('stays ready while VMs run that nothing is wrong with, and takes no further Pods', () => {
    const status = planStatus(undefined, { facts: FACTS, state: ill('tart', 'TartMissing', 'gone', 1) }, NOW_MS);
    assert.equal(conditionOf(status, 'Ready')?.status, 'True');
    assert.match(conditionOf(status, 'Ready')?.message ?? '', /takes no new Pods.*gone/);
    assert.equal(status.allocatable?.['pods'], '0');
  });
});
