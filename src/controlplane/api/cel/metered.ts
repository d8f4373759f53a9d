/**
 * CEL that cannot run for ever. CEL has no loops but its comprehensions (`all`, `exists`, `exists_one`, `filter`, `map`), which
 * nest; so every step of one is counted, and an expression that takes too many is ended with an error.
 */

import { isDeepStrictEqual } from 'node:util';
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { FleetError } from '../../../base/errors.ts';

/** Counts steps. One for all that belongs together, such as the expressions of one policy about one request. */
export interface Meter {
  /** Throws when nothing is left. */
  step(): void;
  readonly isSpent: boolean;
}

const STEPS_MAX = 100_000;

export const createMeter = (stepsMax = STEPS_MAX): Meter => {
  let left = stepsMax;
  return {
    step: () => {
      left -= 1;
      if (left < 0) throw outOfBudget();
    },
    get isSpent() {
      return left < 0;
    },
  };
};

const outOfBudget = (): FleetError =>
  new FleetError('invalid', {
    code: 'CelBudgetSpent',
    message: 'operation cancelled: actual cost limit exceeded',
    hint: 'Look at fewer items, or nest fewer comprehensions.',
  });

const notThat = (wanted: string, type: string): FleetError =>
  new FleetError('invalid', {
    code: 'CelTypeWrong',
    message: `must evaluate to ${wanted} but got ${type}`,
    hint: 'Write an expression that gives what is asked for.',
  });

export type Evaluate = (scope: Readonly<Record<string, unknown>>, meter: Meter) => unknown;

export interface CelCompiler {
  /** Throws when the expression does not compile, or is known to give something else. */
  compile(expression: string, wanted?: 'bool' | 'string'): Evaluate;
}

const STEP = '__step';

interface Optional {
  hasValue(): boolean;
  orValue(otherwise: unknown): unknown;
}

/** `extend` adds functions and types to the environment of all expressions that this compiles. */
export const createCelCompiler = (extend: (environment: Environment) => Environment): CelCompiler => {
  let current = createMeter();
  const step = (): boolean => {
    current.step();
    return true;
  };
  const environment = extend(
    new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true })
      // Part of CEL, missing in this implementation.
      .registerOperator(
        'optional<dyn> == optional<dyn>',
        (left: Optional, right: Optional) =>
          left.hasValue() === right.hasValue() && isDeepStrictEqual(left.orValue(null), right.orValue(null)),
      )
      .registerFunction(`${STEP}(): bool`, step),
  );
  return {
    compile: (expression, wanted) => {
      const evaluate = environment.parse(countSteps(environment, expression));
      const { valid, error, type = 'dyn' } = evaluate.check();
      if (!valid && error !== undefined) throw error;
      if (wanted !== undefined && type !== wanted && type !== 'dyn') throw notThat(wanted, type);
      return (scope, meter) => {
        const outer = current;
        current = meter;
        try {
          const result: unknown = evaluate({ ...scope });
          // An error may be absorbed by `||`; that nothing is left may not.
          if (meter.isSpent) throw outOfBudget();
          return result;
        } finally {
          current = outer;
        }
      };
    },
  };
};

interface Insertion {
  readonly at: number;
  readonly text: string;
}

const COMPREHENSIONS = ['all', 'exists', 'exists_one', 'filter', 'map'];

/** The same expression, with a step before each round of each comprehension. */
const countSteps = (environment: Environment, expression: string): string => {
  const insertions = insertionsFor(environment.parse(expression).ast).toSorted((left, right) => right.at - left.at);
  return insertions.reduce((text, { at, text: added }) => `${text.slice(0, at)}${added}${text.slice(at)}`, expression);
};

const insertionsFor = (node: ASTNode): readonly Insertion[] => {
  const below = childrenOf(node).flatMap(insertionsFor);
  if (node.op !== 'rcall') return below;
  const [name, , args] = node.args;
  const [, body, transform] = args;
  if (!COMPREHENSIONS.includes(name) || body === undefined) return below;
  // A map with three arguments filters by the second.
  if (name === 'map' && transform === undefined) return [...below, { at: body.start, text: `${STEP}(), ` }];
  return [...below, { at: body.start, text: `(${STEP}() ? (` }, { at: body.end, text: `) : false)` }];
};

const childrenOf = (node: ASTNode): readonly ASTNode[] => nodesIn(node.op === 'value' ? undefined : node.args);

const nodesIn = (value: unknown): readonly ASTNode[] => {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return parseNode(value);
};

const parseNode = (value: unknown): readonly ASTNode[] =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value ? [value as ASTNode] : [];
