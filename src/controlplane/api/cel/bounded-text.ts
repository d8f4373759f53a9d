/**
 * An expression written again so that its work can be counted: a step before each round of each comprehension, and a call
 * around whatever takes time by the size of its values. Written from the tree and not into the text, so that nothing in the
 * text (brackets, comments) hides a place.
 */
import type { ASTNode } from '@marcbachmann/cel-js';

/** Names of functions that expressions are written with. */
export const BOUND = {
  /** Counts a round; true. */
  step: '__step',
  /** Of any type, for the branch that is never taken. */
  never: '__never',
  /** The value, paid for by its length if it is a text or a list. */
  items: '__items',
  /** The same for a text alone. */
  text: '__text',
  /** The value, paid for by all that is in it. */
  whole: '__whole',
  /** `matches` with patterns that are bounded. */
  matches: '__matches',
} as const;

const COMPREHENSIONS = ['all', 'exists', 'exists_one', 'filter', 'map'];

/** They read their receiver from end to end, and may make something as long. */
const READERS = new Set([
  ...['contains', 'startsWith', 'endsWith', 'indexOf', 'lastIndexOf', 'split', 'join', 'substring', 'trim'],
  ...['lowerAscii', 'upperAscii', 'json', 'hex', 'string', 'base64', 'isSorted', 'sum', 'min', 'max'],
]);

/** They read a text from end to end, and of a list only how long it is. */
const MEASURES = ['size', 'string'];

export const renderBounded = (node: ASTNode): string => {
  switch (node.op) {
    case 'value':
      return node.input.slice(node.start, node.end);
    case 'id':
      return node.args;
    case '.':
    case '.?':
      return `${renderOperand(node.args[0])}${node.op}${node.args[1]}`;
    case '[]':
      return `${renderOperand(node.args[0])}[${renderBounded(node.args[1])}]`;
    case '[?]':
      return `${renderOperand(node.args[0])}[?${renderBounded(node.args[1])}]`;
    case 'call':
      return renderCall(node.args);
    case 'rcall':
      return renderMethod(node.args);
    case 'list':
      return `[${node.args.map(renderBounded).join(', ')}]`;
    case 'map':
      return `{${node.args.map(([key, value]) => `${renderBounded(key)}: ${renderBounded(value)}`).join(', ')}}`;
    case '?:': {
      const [condition, yes, no] = node.args;
      return `${renderOperand(condition)} ? ${renderOperand(yes)} : ${renderOperand(no)}`;
    }
    case '!_':
      return `!${renderOperand(node.args)}`;
    case '-_':
      return `-${renderOperand(node.args)}`;
    default:
      return renderBinary(node.op, node.args);
  }
};

const PRIMARY = new Set(['value', 'id', '.', '.?', '[]', '[?]', 'call', 'rcall', 'list', 'map']);

const renderOperand = (node: ASTNode): string =>
  PRIMARY.has(node.op) ? renderBounded(node) : `(${renderBounded(node)})`;

type BinaryNode = Extract<ASTNode, { op: '==' | '!=' | 'in' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' }>;
type Binary = BinaryNode['op'] | '&&' | '||';

const renderBinary = (op: Binary, [left, right]: readonly [ASTNode, ASTNode]): string => {
  switch (op) {
    case '==':
    case '!=':
      return `${paid(left)} ${op} ${paid(right)}`;
    case 'in':
      return `${renderOperand(left)} in ${BOUND.items}(${renderBounded(right)})`;
    case '+':
      return `${BOUND.items}(${renderOperand(left)} + ${renderOperand(right)})`;
    case '&&':
    case '||':
      // A chain stays one: brackets would nest as deeply as it is long.
      return `${left.op === op ? renderBounded(left) : renderOperand(left)} ${op} ${renderOperand(right)}`;
    default:
      return `${renderOperand(left)} ${op} ${renderOperand(right)}`;
  }
};

/** A literal is as long as the expression, which is bounded. */
const paid = (node: ASTNode): string =>
  node.op === 'value' ? renderBounded(node) : `${BOUND.whole}(${renderBounded(node)})`;

const renderCall = ([name, args]: readonly [string, readonly ASTNode[]]): string => {
  const render = (arg: ASTNode): string =>
    MEASURES.includes(name) ? `${BOUND.text}(${renderBounded(arg)})` : renderBounded(arg);
  return `${name}(${args.map(render).join(', ')})`;
};

const renderMethod = ([name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]]): string => {
  const [first, body, ...rest] = args;
  if (COMPREHENSIONS.includes(name) && first !== undefined && body !== undefined) {
    const counted = `${BOUND.step}() ? ${renderOperand(body)} : ${BOUND.never}()`;
    const parts = [renderBounded(first), counted, ...rest.map(renderBounded)];
    return `${renderOperand(receiver)}.${name}(${parts.join(', ')})`;
  }
  const said = args.map(renderBounded).join(', ');
  if (name === 'matches') return `${renderOperand(receiver)}.${BOUND.matches}(${said})`;
  if (name === 'size') return `${BOUND.text}(${renderBounded(receiver)}).size(${said})`;
  if (!READERS.has(name)) return `${renderOperand(receiver)}.${name}(${said})`;
  return `${BOUND.items}(${BOUND.whole}(${renderBounded(receiver)}).${name}(${said}))`;
};
