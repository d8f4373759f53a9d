/** CEL as the API server has it: optionals that can be compared, and functions by which work is counted. */
import { isDeepStrictEqual } from 'node:util';
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { compilePattern, type Pattern } from '../regex/pattern.ts';
import { BOUND } from './bounded-text.ts';
import { withListFunctions } from './list-functions.ts';

interface Optional {
  hasValue(): boolean;
  orValue(otherwise: unknown): unknown;
}

export const createCelEnvironment = (options: { readonly unlistedVariablesAreDyn: boolean }): Environment =>
  withListFunctions(
    new Environment({ ...options, enableOptionalTypes: true })
      // Part of CEL, missing in this implementation.
      .registerOperator(
        'optional<dyn> == optional<dyn>',
        (left: Optional, right: Optional) =>
          left.hasValue() === right.hasValue() && isDeepStrictEqual(left.orValue(null), right.orValue(null)),
      ),
  );

const PATTERNS_MAX = 100;

/** The functions that bounded-text.ts writes expressions with. `step` and `spend` are told of the work as it is done. */
export const withBounds = (
  environment: Environment,
  step: () => void,
  spend: (states: number) => void,
): Environment => {
  const find = createPatterns();
  const sizeOf = createSizes();
  return environment
    .registerFunction(`${BOUND.step}(): bool`, () => {
      step();
      return true;
    })
    .registerFunction(`${BOUND.never}(): dyn`, () => false)
    .registerFunction(`${BOUND.items}(dyn): dyn`, (value: unknown) => {
      if (typeof value === 'string' || Array.isArray(value)) spend(value.length);
      return value;
    })
    .registerFunction(`${BOUND.text}(dyn): dyn`, (value: unknown) => {
      if (typeof value === 'string') spend(value.length);
      return value;
    })
    .registerFunction(`${BOUND.whole}(dyn): dyn`, (value: unknown) => {
      spend(sizeOf(value));
      return value;
    })
    .registerFunction(`string.${BOUND.matches}(string): bool`, (text: string, pattern: string) =>
      find(pattern).test(text, spend),
    );
};

const createPatterns = (): ((text: string) => Pattern) => {
  const known = new Map<string, Pattern>();
  return (text) => {
    const found = known.get(text) ?? compilePattern(text);
    if (known.size >= PATTERNS_MAX) known.clear();
    known.set(text, found);
    return found;
  };
};

/** How much there is in a value: its characters, its items and all that is in them. Each is gone through once. */
const createSizes = (): ((value: unknown) => number) => {
  const known = new WeakMap<object, number>();
  const sizeOf = (value: unknown): number => {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 0;
    const found = known.get(value);
    if (found !== undefined) return found;
    const parts = value instanceof Uint8Array ? [] : Object.values(value);
    const size = parts.reduce<number>((sum, part) => sum + 1 + sizeOf(part), 0);
    known.set(value, size);
    return size;
  };
  return sizeOf;
};

/** Reads every pattern that stands in the expression, so that a bad one is known before it is needed. */
export const checkPatternsIn = (node: ASTNode): void => {
  if (node.op === 'rcall' && node.args[0] === 'matches') {
    const [pattern] = node.args[2];
    if (pattern?.op === 'value' && typeof pattern.args === 'string') compilePattern(pattern.args);
  }
  for (const child of childrenOf(node)) checkPatternsIn(child);
};

export const childrenOf = (node: ASTNode): readonly ASTNode[] => nodesIn(node.op === 'value' ? undefined : node.args);

const nodesIn = (value: unknown): readonly ASTNode[] => {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return parseNode(value);
};

const parseNode = (value: unknown): readonly ASTNode[] =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value ? [value as ASTNode] : [];
