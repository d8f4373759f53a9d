/** Trouble of one kind, alone, on a fleet that works: everything is right again when it is over. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSchedule } from './run-seed.ts';

const MINUTE_MS = 60_000;
const CALM = { mode: 'liveness', managers: ['manager', 'rival'], machines: 2, network: {}, weights: [] } as const;

interface Row {
  readonly story: string;
  readonly id: string;
  readonly details: readonly number[];
  /** Some minutes after the beginning, when everything is at work, unless said. */
  readonly atMs?: number;
  /** Reached by it. */
  readonly mark?: string;
}

const AGENT_ROWS: readonly Row[] = [
  { story: 'an agent dies, and its VMs run on', id: 'kill-agent', details: [0, 3] },
  { story: 'an agent freezes', id: 'freeze-agent', details: [0, 2] },
  { story: 'the process of a VM is killed', id: 'kill-vm', details: [0, 0] },
  { story: 'tart clone hangs', id: 'tart-hangs', details: [0, 0, 2] },
  { story: 'somebody deletes a Pod by force', id: 'delete-pod', details: [0, 1] },
];

const ROWS: readonly Row[] = [
  {
    ...{ story: 'an etcd goes ten minutes back, and its revisions with it', id: 'etcd-restored', details: [1, 1] },
    mark: 'sometimes: an older etcd came back',
  },
  {
    ...{ story: 'the API server is killed, and reads its log', id: 'api-restarts', details: [] },
    mark: 'sometimes: the API came back',
  },
  {
    story: 'a Mac shows another host key than it did a moment before',
    ...{ id: 'host-key-changes-when-named', details: [], atMs: 0 },
    mark: 'sometimes: quarantined',
  },
  { story: 'a second cluster takes Macs from the same pool', id: 'another-cluster', details: [1] },
  { story: 'the fleet is moved to a second cluster', id: 'move', details: [1] },
  { story: 'a Mac of the Go original has its pool name before its wipe', id: 'half-released', details: [0] },
  { story: 'another team wants a machine of a name that is taken', id: 'namesake', details: [0] },
  { story: 'the namespace is deleted, and made anew', id: 'delete-namespace', details: [0] },
];

describe('a fleet on which one thing is done', () => {
  for (const { story, id, details, mark, atMs = 8 * MINUTE_MS } of ROWS) {
    it(`${id}: ${story}`, async () => {
      const strikes = [{ atMs, id, details }];
      const { violations, marks, steps } = await runSchedule({ profile: CALM, strikes, choices: {} });
      assert.deepEqual(violations, []);
      assert.equal(steps.length, 1, 'it struck');
      if (mark !== undefined) assert.ok(marks.includes(mark), mark);
    });
  }
});

describe('a fleet that runs VMs', () => {
  it(`on which happens, one after the other: ${AGENT_ROWS.map(({ story }) => story).join('; ')}`, async () => {
    const strikes = AGENT_ROWS.map(({ id, details }, at) => ({ atMs: (12 + 10 * at) * MINUTE_MS, id, details }));
    const profile = { ...CALM, agents: 'tart-kubelet' } as const;
    const { violations, steps } = await runSchedule({ profile, strikes, choices: {} });
    assert.deepEqual(violations, []);
    assert.equal(steps.length, AGENT_ROWS.length, 'all struck');
  });
});
