/** A pattern as a program for the machine of pattern.ts: instructions that name those that follow. */
import { FleetError, unreachable } from '../../../base/errors.ts';
import type { Assertion, CharTest, PatternNode } from './pattern-node.ts';

export type Instruction =
  | { readonly is: 'char'; readonly test: CharTest; readonly next: number }
  | { readonly is: 'assert'; readonly assertion: Assertion; readonly next: number }
  | { readonly is: 'fork'; readonly next: number; readonly other: number }
  | { readonly is: 'match' };

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** Matches only where the text begins. */
  readonly isAnchored: boolean;
}

/** Counted repetitions are written out, so a short pattern can mean a large program. */
const INSTRUCTIONS_MAX = 20_000;

export const compileProgram = (node: PatternNode, source: string): Program => {
  const instructions: Instruction[] = [{ is: 'match' }];
  const add = (instruction: Instruction): number => {
    if (instructions.length >= INSTRUCTIONS_MAX) throw tooLarge(source);
    return instructions.push(instruction) - 1;
  };
  const start = emit(node, 0, { add, instructions });
  return { instructions, start, isAnchored: isAnchored(node) };
};

const tooLarge = (source: string): FleetError =>
  new FleetError('invalid', {
    code: 'BadPattern',
    message: `error parsing regexp: expression too large: \`${source}\``,
    hint: 'Repeat less in the pattern.',
  });

interface Emitting {
  readonly instructions: Instruction[];
  add(instruction: Instruction): number;
}

/** Written from its end: gives where the node begins when it goes on at `next`. */
const emit = (node: PatternNode, next: number, emitting: Emitting): number => {
  const { add } = emitting;
  switch (node.is) {
    case 'empty':
      return next;
    case 'char':
      return add({ is: 'char', test: node.test, next });
    case 'assert':
      return add({ is: 'assert', assertion: node.assertion, next });
    case 'sequence':
      return node.parts.reduceRight((after, part) => emit(part, after, emitting), next);
    case 'choice':
      return node.parts
        .map((part) => emit(part, next, emitting))
        .reduceRight((other, first) => add({ is: 'fork', next: first, other }));
    case 'repeat':
      return emitRepeat(node, next, emitting);
    default:
      return unreachable(node);
  }
};

const emitRepeat = (
  { part, min, max }: Extract<PatternNode, { is: 'repeat' }>,
  next: number,
  emitting: Emitting,
): number => {
  const isEndless = max === Number.POSITIVE_INFINITY;
  let entry = isEndless ? emitLoop({ part, min }, next, emitting) : next;
  for (let times = 0; !isEndless && times < max - min; times += 1) {
    entry = emitting.add({ is: 'fork', next: emit(part, entry, emitting), other: next });
  }
  for (let times = isEndless ? 1 : 0; times < min; times += 1) entry = emit(part, entry, emitting);
  return entry;
};

/** A fork whose body comes back to it, entered at the body where it must be gone through once. */
const emitLoop = (
  { part, min }: { readonly part: PatternNode; readonly min: number },
  next: number,
  emitting: Emitting,
): number => {
  const fork = emitting.add({ is: 'fork', next, other: next });
  const body = emit(part, fork, emitting);
  emitting.instructions[fork] = { is: 'fork', next: body, other: next };
  return min === 0 ? fork : body;
};

const isAnchored = (node: PatternNode): boolean => {
  switch (node.is) {
    case 'assert':
      return node.assertion === 'text-start';
    case 'sequence': {
      const [first] = node.parts;
      return first !== undefined && isAnchored(first);
    }
    case 'choice':
      return node.parts.every(isAnchored);
    default:
      return false;
  }
};
