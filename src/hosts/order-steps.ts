/** The order of steps: pure, the same for the same list, and total: every list gets an order or a reason. */
import { FleetError } from '../base/errors.ts';
import type { Step } from './step.ts';

/** Each step after all it needs, otherwise in the order given. Throws `bug` for a list that has no such order. */
export const orderSteps = (steps: readonly Step[]): readonly Step[] => {
  const byId = indexById(steps);
  const planned = new Set<Step>();
  const place = (step: Step, path: readonly string[]): void => {
    if (planned.has(step)) return;
    const here = [...path, step.id];
    if (path.includes(step.id)) throw badPlan(`the steps ${here.join(' → ')} need each other`);
    for (const need of step.needs) place(neededBy(step, byId.get(need), need), here);
    planned.add(step);
  };
  for (const step of steps) place(step, []);
  return [...planned];
};

const indexById = (steps: readonly Step[]): ReadonlyMap<string, Step> => {
  const byId = new Map<string, Step>();
  for (const step of steps) {
    if (byId.has(step.id)) throw badPlan(`the step ${step.id} is there twice`);
    byId.set(step.id, step);
  }
  return byId;
};

const neededBy = (step: Step, needed: Step | undefined, id: string): Step => {
  if (needed === undefined) throw badPlan(`the step ${step.id} needs ${id}, which is not in the list`);
  return needed;
};

const badPlan = (message: string): FleetError =>
  new FleetError('bug', { code: 'BadStepPlan', message, hint: 'Correct the list of steps in src/hosts/step.ts.' });
