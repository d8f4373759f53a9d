/**
 * CEL that cannot run for ever. CEL has no loops but its comprehensions (`all`, `exists`, `exists_one`, `filter`, `map`), which
 * nest; so every step of one is counted, as is what takes time by the size of a value or by a pattern, and an expression
 * that takes too many is ended with an error.
 */
import type { Environment } from '@marcbachmann/cel-js';
import { FleetError, messageOf } from '../../../base/errors.ts';
import { renderBounded } from './bounded-text.ts';
import { checkPatternsIn, createCelEnvironment, withBounds } from './environment.ts';

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

/** What went wrong, in the words of cel-go: the library begins with a capital, and goes on with the text it evaluated. */
export const messageOfCel = (thrown: unknown): string => {
  const [why = ''] = messageOf(thrown).split('\n');
  const [, index] = /^No such key: index out of bounds, index (\d+)/.exec(why) ?? [];
  if (index !== undefined) return `index out of bounds: ${index}`;
  return `${why.charAt(0).toLowerCase()}${why.slice(1)}`;
};

export type Evaluate = (scope: Readonly<Record<string, unknown>>, meter: Meter) => unknown;

export interface CelCompiler {
  /** Throws when the expression does not compile, or is known to give something else. */
  compile(expression: string, wanted?: 'bool' | 'string'): Evaluate;
}

/** So much of reading values and matching patterns is one step. */
const STATES_PER_STEP = 200;

const createSpender = (meter: () => Meter): ((states: number) => void) => {
  let states = 0;
  return (more) => {
    for (states += more; states >= STATES_PER_STEP; states -= STATES_PER_STEP) meter().step();
  };
};

/** `extend` adds functions and types to the environment of all expressions that this compiles. */
export const createCelCompiler = (extend: (environment: Environment) => Environment): CelCompiler => {
  let current = createMeter();
  const spend = createSpender(() => current);
  const bare = createCelEnvironment({ unlistedVariablesAreDyn: true });
  const environment = extend(withBounds(bare, () => current.step(), spend));
  return {
    compile: (expression, wanted) => {
      const written = environment.parse(expression);
      const { valid, error, type = 'dyn' } = written.check();
      if (!valid && error !== undefined) throw error;
      if (wanted !== undefined && type !== wanted && type !== 'dyn') throw notThat(wanted, type);
      checkPatternsIn(written.ast);
      const evaluate = environment.parse(renderBounded(written.ast));
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
