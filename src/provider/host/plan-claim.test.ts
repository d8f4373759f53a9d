import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostPlan } from './host-view.ts';
import { type IntentView, planIntent } from './plan-claim.ts';
import { at, CLAIM, fresh, NOW, PENDING, POOL, specOf, store, TIMES, UUID, wrote } from './testing/views.ts';

const HELD = { claimRef: CLAIM, assignedName: { current: POOL, next: PENDING }, lastWrite: wrote('rename', 90_000) };

interface Row {
  readonly story: string;
  readonly spec: object;
  readonly seen: IntentView['sighting'];
  readonly owner?: IntentView['owner'];
  /** Undefined: the server has to be looked at. */
  readonly plan: HostPlan | undefined;
}

const ROWS: readonly Row[] = [
  {
    story: 'R7 a claim begins with the wish for a pending name, on what the record says of the server',
    spec: { claimRef: CLAIM },
    seen: { name: POOL },
    plan: store({ assignedName: { current: POOL, next: PENDING }, lastWrite: fresh('rename') }),
  },
  { story: 'a server that was never seen is looked at', spec: { claimRef: CLAIM }, seen: undefined, plan: undefined },
  {
    story: 'so is one that has no pool name by the record',
    spec: { claimRef: CLAIM },
    seen: { name: 'mac-9' },
    plan: undefined,
  },
  {
    story: 'R5 and one whose machine names another: its claim is dropped on a look only',
    spec: { claimRef: CLAIM },
    seen: { name: POOL },
    owner: 'does-not',
    plan: undefined,
  },
  { story: 'R8 no name is sent without a look', spec: HELD, seen: { name: POOL, seenAt: at(0) }, plan: undefined },
  {
    story: 'R7 a pending name is held from when it was seen, not from when it was wished for',
    spec: HELD,
    seen: { name: PENDING, seenAt: at(10_000) },
    plan: { do: 'wait', afterMs: 30_000 },
  },
  {
    story: 'R7 and for the whole time if nobody knows when it was seen',
    spec: HELD,
    seen: { name: PENDING },
    plan: { do: 'wait', afterMs: 40_000 },
  },
  {
    story: 'R6 after that the machine gives the name',
    spec: HELD,
    seen: { name: PENDING, seenAt: at(40_000) },
    plan: store({ assignedName: { current: PENDING, next: 'mac-1' }, lastWrite: fresh('rename') }),
  },
  {
    story: 'the final name takes a look',
    spec: { ...HELD, assignedName: { current: PENDING, next: 'mac-1' } },
    seen: { name: PENDING, seenAt: at(40_000) },
    plan: undefined,
  },
];

describe('what is next for a claimed server by its record alone', () => {
  for (const { story, spec, seen, owner = 'names-it', plan } of ROWS) {
    it(story, () => {
      const view = { spec: specOf(spec), sighting: seen, owner, nowMs: NOW, times: TIMES, uuid: () => UUID };
      assert.deepEqual(planIntent(view), plan);
    });
  }
});
