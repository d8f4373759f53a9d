/**
 * Regular expressions whose cost is bounded by the text's length times the pattern's: a machine is in all states at once and
 * never goes back. JavaScript's own go back, and `(a+)+$` keeps them busy for ever; patterns here come from clients.
 */
import { FleetError } from '../../../base/errors.ts';
import { WORD } from './char-tests.ts';
import { compileProgram, type Instruction, type Program } from './compile-program.ts';
import { parsePattern } from './parse-pattern.ts';
import type { Assertion } from './pattern-node.ts';

export interface Pattern {
  /** Whether it matches somewhere in the text. `spend` is told of work as it is done, and may throw to end it. */
  test(text: string, spend?: (states: number) => void): boolean;
}

/** Throws `BadPattern` when RE2 would not take it either. */
export const compilePattern = (source: string): Pattern => {
  const program = compileProgram(parsePattern(source), source);
  return { test: (text, spend = createBudget()) => run(program, text, spend) };
};

/** Some tenths of a second; enough for a simple pattern over the largest text that a request can hold. */
const STATES_MAX = 10_000_000;

const createBudget = (): ((states: number) => void) => {
  let left = STATES_MAX;
  return (states) => {
    left -= states;
    if (left < 0) throw tooCostly();
  };
};

const tooCostly = (): FleetError =>
  new FleetError('invalid', {
    code: 'PatternTooCostly',
    message: 'the text is too long for a pattern of this size',
    hint: 'Shorten the text, or the pattern.',
  });

const NONE = -1;

const run = (program: Program, text: string, spend: (states: number) => void): boolean => {
  const { instructions, start, isAnchored } = program;
  const machine = createMachine(instructions.length);
  let previous = NONE;
  for (let at = 0; ; ) {
    const code = text.codePointAt(at) ?? NONE;
    if (at === 0 || !isAnchored) machine.enter(start);
    const { visits, isMatch } = settle(instructions, machine, { previous, code });
    if (isMatch) return true;
    spend(visits);
    if (code === NONE || (machine.active.length === 0 && isAnchored)) return false;
    advance(instructions, machine, code);
    previous = code;
    at += code > 0xffff ? 2 : 1;
  }
};

/** All states at once. Its lists are used again from round to round. */
interface Machine {
  /** The round in which each instruction was last reached. */
  readonly seen: Uint32Array;
  /** Instructions to look at in this round. */
  readonly stack: number[];
  /** Those that wait for a character. */
  readonly active: number[];
  round: number;
  enter(at: number): void;
}

const createMachine = (size: number): Machine => {
  const stack: number[] = [];
  return { seen: new Uint32Array(size), stack, active: [], round: 0, enter: (at) => void stack.push(at) };
};

interface Place {
  /** The code points around, -1 where the text ends. */
  readonly previous: number;
  readonly code: number;
}

/** Goes wherever one comes without a character. */
const settle = (
  instructions: readonly Instruction[],
  machine: Machine,
  place: Place,
): { readonly visits: number; readonly isMatch: boolean } => {
  const { seen, stack, active } = machine;
  machine.round += 1;
  let visits = 1;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const instruction = instructions[at];
    if (seen[at] === machine.round || instruction === undefined) continue;
    seen[at] = machine.round;
    visits += 1;
    if (instruction.is === 'match') return { visits, isMatch: true };
    if (instruction.is === 'char') active.push(at);
    else if (instruction.is === 'fork') stack.push(instruction.other, instruction.next);
    else if (holds(instruction.assertion, place)) stack.push(instruction.next);
  }
  return { visits, isMatch: false };
};

const advance = (instructions: readonly Instruction[], { stack, active }: Machine, code: number): void => {
  for (const at of active) {
    const instruction = instructions[at];
    if (instruction?.is === 'char' && instruction.test(code)) stack.push(instruction.next);
  }
  active.length = 0;
};

const NEWLINE = 10;

const holds = (assertion: Assertion, { previous, code }: Place): boolean => {
  switch (assertion) {
    case 'text-start':
      return previous === NONE;
    case 'text-end':
      return code === NONE;
    case 'line-start':
      return previous === NONE || previous === NEWLINE;
    case 'line-end':
      return code === NONE || code === NEWLINE;
    default:
      return (WORD(previous) !== WORD(code)) === (assertion === 'word-edge');
  }
};
