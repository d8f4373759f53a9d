/** Where the functions of a file begin and end, and what they are called: enough for rules, far from a parser. */
import { type Brackets, matchBrackets } from './brackets.ts';
import type { Token } from './tokens.ts';

export interface FunctionExtent {
  /** Empty when it has none of its own. */
  readonly name: string;
  /** The function that this one is handed to, as in `describe('…', () => …)`; empty when to none. */
  readonly handedTo: string;
  /** Indexes of the first and last token of its body. */
  readonly first: number;
  readonly last: number;
  readonly lines: number;
}

const NO_FUNCTION_NAMES = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'return', 'await', 'new', 'super']);
const TYPE_MAY_CONTINUE = new Set([':', '|', '&', '=>', '<', ',', '(', 'is', 'extends']);

const ENDS_TYPE = new Set([';', ')', '}', '=']);

export const findFunctions = (tokens: readonly Token[]): readonly FunctionExtent[] => {
  const brackets = matchBrackets(tokens);
  return tokens.flatMap((token, at) => {
    if (token.kind === 'mark' && token.text === '=>') return [arrow(tokens, brackets, at)];
    if (token.kind === 'mark' && token.text === '(') return method(tokens, brackets, at);
    return [];
  });
};

const extent = (tokens: readonly Token[], found: Omit<FunctionExtent, 'lines'>): FunctionExtent => ({
  ...found,
  lines: (tokens[found.last]?.line ?? 0) - (tokens[found.first]?.line ?? 0) + 1,
});

const arrow = (tokens: readonly Token[], brackets: Brackets, at: number): FunctionExtent => {
  const outer = brackets.around[at] ?? -1;
  const caller = tokens[outer]?.text === '(' ? tokens[outer - 1] : undefined;
  return extent(tokens, {
    name: constantName(tokens, brackets, at),
    handedTo: caller?.kind === 'word' ? caller.text : '',
    first: at + 1,
    last: brackets.partner.get(at + 1) ?? endOfExpression(tokens, brackets, at),
  });
};

/** `const name = … =>` gives the name; anything else between brackets of its own has none. */
const constantName = (tokens: readonly Token[], brackets: Brackets, arrowAt: number): string => {
  const outer = brackets.around[arrowAt];
  for (let at = arrowAt - 1; at > (outer ?? -1); at -= 1) {
    const token = tokens[at];
    if (brackets.around[at] !== outer || token === undefined) continue;
    if (token.text === ';') return '';
    if (token.kind === 'word' && (token.text === 'const' || token.text === 'let')) return tokens[at + 1]?.text ?? '';
  }
  return '';
};

const ENDS_EXPRESSION = new Set([';', ',', '=>']);

/** An arrow's expression ends before the bracket around it does, or at a mark that no expression holds. */
const endOfExpression = (tokens: readonly Token[], brackets: Brackets, arrowAt: number): number => {
  const outer = brackets.around[arrowAt] ?? -1;
  const end = brackets.partner.get(outer) ?? tokens.length;
  for (let at = arrowAt + 1; at < end; at += 1) {
    if (brackets.around[at] !== outer) continue;
    if (ENDS_EXPRESSION.has(tokens[at]?.text ?? '') || opensBodyAfterType(tokens, at)) return at - 1;
  }
  return end - 1;
};

/** In `name(): () => void {` the brace is no part of what the arrow leads to. */
const opensBodyAfterType = (tokens: readonly Token[], at: number): boolean => {
  const before = tokens[at - 1];
  if (tokens[at]?.text !== '{' || before === undefined) return false;
  return before.kind === 'word' ? !['as', 'satisfies'].includes(before.text) : ['>', ']'].includes(before.text);
};

/** `name(…) {`, `name(…): Type {` and `function name(…) {`. */
const method = (tokens: readonly Token[], brackets: Brackets, at: number): readonly FunctionExtent[] => {
  const close = brackets.partner.get(at);
  const before = tokens[at - 1];
  if (close === undefined || before?.kind !== 'word' || NO_FUNCTION_NAMES.has(before.text)) return [];
  const first = bodyAfter(tokens, brackets, close + 1);
  const last = first === undefined ? undefined : brackets.partner.get(first);
  if (first === undefined || last === undefined) return [];
  return [extent(tokens, { name: before.text, handedTo: '', first, last })];
};

/** The brace that opens a body at this place, past a return type if there is one. */
const bodyAfter = (tokens: readonly Token[], brackets: Brackets, start: number): number | undefined => {
  if (tokens[start]?.text === '{') return start;
  if (tokens[start]?.text !== ':') return undefined;
  for (let at = start + 1; at < tokens.length; at += 1) {
    const text = tokens[at]?.text ?? '';
    if (text === '{' && !TYPE_MAY_CONTINUE.has(tokens[at - 1]?.text ?? '')) return at;
    if (text === '=>' && tokens[at - 1]?.text !== ')') return undefined;
    if (ENDS_TYPE.has(text)) return undefined;
    if (text === '{' || text === '(' || text === '[') at = brackets.partner.get(at) ?? at;
  }
  return undefined;
};
