/** What Pods ask for and what Nodes have, as numbers: cpu in thousandths, everything else in whole units. Pure. */

import { parseQuantity } from '../../../base/quantity.ts';
import type { Node } from '../../../kube/types/core.ts';
import type { SchedulableContainer, SchedulablePod } from './schedulable.ts';

export type Amounts = ReadonlyMap<string, number>;

const NOTHING: Amounts = new Map();

const amountsOf = (quantities: Readonly<Record<string, string>> = {}): Amounts =>
  new Map(
    Object.entries(quantities).map(([name, text]) => {
      const amount = (parseQuantity(text) ?? 0) * (name === 'cpu' ? 1_000 : 1);
      // A share of a unit that floating point makes of a whole one is none.
      return [name, Math.ceil(amount - 1e-6)];
    }),
  );

const combine = (left: Amounts, right: Amounts, how: (a: number, b: number) => number): Amounts => {
  const names = new Set([...left.keys(), ...right.keys()]);
  return new Map(Array.from(names, (name) => [name, how(left.get(name) ?? 0, right.get(name) ?? 0)]));
};

const addAmounts = (left: Amounts, right: Amounts): Amounts => combine(left, right, (a, b) => a + b);

/** Of many, in one go: this is asked for every Node and every Pod to place. */
export const sumAmounts = (all: readonly Amounts[]): Amounts => {
  const sum = new Map<string, number>();
  for (const amounts of all) for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + amount);
  return sum;
};

/** A limit without a request is a request. */
const requestOf = ({ resources }: SchedulableContainer): Amounts =>
  amountsOf({ ...resources?.limits, ...resources?.requests });

/**
 * Containers run together, and beside them the init containers that restart always; other init containers run one after
 * the other before, so that the most hungry moment counts. What the Pod asks for as a whole replaces the sum.
 */
export const requestsOf = ({ spec }: SchedulablePod): Amounts => {
  let running = NOTHING;
  let peak = NOTHING;
  for (const container of spec.initContainers ?? []) {
    const own = requestOf(container);
    const isSidecar = container.restartPolicy === 'Always';
    const together = addAmounts(running, own);
    peak = combine(peak, together, Math.max);
    if (isSidecar) running = together;
  }
  for (const container of spec.containers) running = addAmounts(running, requestOf(container));
  const needed = combine(peak, running, Math.max);
  const whole = new Map([...needed, ...amountsOf(spec.resources?.requests)]);
  return addAmounts(whole, amountsOf(spec.overhead));
};

const allocatableOf = ({ status }: Node): Amounts => amountsOf(status?.allocatable);

/**
 * The names of what a Node has too little of, in the order of kube-scheduler. A Node that says nothing of cpu, memory or
 * disk has no limit there; of a resource of its own kind it has none.
 */
export const findShortages = (wanted: Amounts, node: Node, used: Amounts): readonly string[] => {
  const allocatable = allocatableOf(node);
  const isShort = (name: string): boolean => {
    const asked = wanted.get(name) ?? 0;
    const limit = allocatable.get(name) ?? (BASIC.includes(name) ? Number.POSITIVE_INFINITY : 0);
    return asked > 0 && asked > limit - (used.get(name) ?? 0);
  };
  const others = [...wanted.keys()].filter((name) => !BASIC.includes(name)).sort();
  return [...BASIC, ...others].filter(isShort);
};

const BASIC = ['cpu', 'memory', 'ephemeral-storage'];
