/** The tables of tests for `planHost`: a view of a Mac in each row, and what comes next for it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostPlan } from '../host-view.ts';
import { planHost } from '../plan-host.ts';
import { type Given, quietly, viewOf } from './views.ts';

export interface PlanRow extends Given {
  readonly story: string;
  readonly plan: HostPlan;
}

const freeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
};

/** Each row is a test, on a view that cannot be changed. */
export const judgePlans = (subject: string, rows: readonly PlanRow[]): void => {
  describe(`planHost, which leaves what it is given as it is (T-68): ${subject}`, () => {
    for (const { story, plan, ...given } of rows)
      it(story, () => {
        const view = viewOf(given);
        freeze([view.spec, view.server]);
        assert.deepEqual(quietly(planHost(view)), plan);
      });
  });
};
