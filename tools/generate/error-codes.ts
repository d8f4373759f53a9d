/**
 * Every error code of the product, read from where errors are made: `new FleetError('kind', { code, message, hint })`, rows
 * of tables that have a kind and a code, and small helpers whose first parameter is the code. Pure.
 */
import { ERROR_KINDS } from '../../src/base/errors.ts';
import type { ErrorCase, ErrorCode } from '../../src/cli/explain/error-code.ts';
import { type Brackets, matchBrackets } from '../tidy/syntax/brackets.ts';
import { scan, type Token } from '../tidy/syntax/tokens.ts';

type Files = ReadonlyMap<string, string>;

/** Simulators and searches speak to developers, who have the code at hand. */
const isToldToUsers = (path: string): boolean =>
  /^(src|bin)\/.*\.ts$/.test(path) &&
  !/\.test\.ts$|\/testing\//.test(path) &&
  !/^src\/(sim|world\/simulate)\//.test(path);

const CODE = /^[A-Z][A-Za-z0-9]+$/;

interface Scanned {
  readonly tokens: readonly Token[];
  readonly brackets: Brackets;
}

interface Found extends ErrorCase {
  readonly code: string;
}

export const collectErrorCodes = (files: Files): readonly ErrorCode[] => {
  const scanned = [...files]
    .filter(([path]) => isToldToUsers(path))
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([, text]): Scanned => {
      const { tokens } = scan(text);
      return { tokens, brackets: matchBrackets(tokens) };
    });
  const helpers = new Map(scanned.flatMap(({ tokens }) => findHelpers(tokens)));
  const constants = new Map(scanned.flatMap(({ tokens }) => findConstants(tokens)));
  const found = scanned.flatMap((file) => [...findObjects(file, constants), ...findCalls(file, helpers)]);
  return merge(found);
};

const merge = (found: readonly Found[]): readonly ErrorCode[] => {
  const byCode = new Map<string, ErrorCase[]>();
  for (const { code, ...one } of found) {
    const cases = byCode.get(code) ?? [];
    if (!cases.some((known) => JSON.stringify(known) === JSON.stringify(one))) cases.push(one);
    byCode.set(code, cases);
  }
  return Array.from(byCode, ([code, cases]) => ({ code, cases })).toSorted((left, right) =>
    left.code < right.code ? -1 : 1,
  );
};

const textAt = (tokens: readonly Token[], at: number): string => tokens[at]?.text ?? '';

const kindAt = (tokens: readonly Token[], at: number): ErrorCase['kind'] | undefined =>
  ERROR_KINDS.find((kind) => tokens[at]?.kind === 'string' && tokens[at]?.text === kind);

/** `{ code: 'X', … }` whose kind is beside it, or right before it. */
const findObjects = ({ tokens, brackets }: Scanned, constants: ReadonlyMap<string, string>): readonly Found[] =>
  tokens.flatMap((token, at): readonly Found[] => {
    const isCode = token.kind === 'word' && token.text === 'code' && textAt(tokens, at + 1) === ':';
    const value = isCode ? textAt(tokens, at + 2) : '';
    const code = tokens[at + 2]?.kind === 'string' ? value : (constants.get(value) ?? '');
    if (!CODE.test(code)) return [];
    const open = outermost(brackets, tokens, brackets.around[at] ?? -1);
    const fields = fieldsOf({ tokens, brackets }, open);
    const kind = kindAt(tokens, open - 2) ?? ERROR_KINDS.find((name) => name === fields.get('kind'));
    if (kind === undefined) return [];
    return [{ code, ...toCase(kind, fields.get('message') ?? fields.get('why'), fields.get('hint')) }];
  });

/** `const NOTHING_SENT = 'ConnectFailed'`: a code that others compare with has a name. */
const findConstants = (tokens: readonly Token[]): readonly (readonly [string, string])[] =>
  tokens.flatMap((token, at): readonly (readonly [string, string])[] => {
    const isConstant = token.text === 'const' && textAt(tokens, at + 2) === '=' && textAt(tokens, at + 4) === ';';
    const isText = tokens[at + 3]?.kind === 'string' && CODE.test(textAt(tokens, at + 3));
    return isConstant && isText ? [[textAt(tokens, at + 1), textAt(tokens, at + 3)]] : [];
  });

const toCase = (kind: ErrorCase['kind'], message: string | undefined, hint: string | undefined): ErrorCase => ({
  kind,
  ...(message ? { message } : {}),
  ...(hint ? { hint } : {}),
});

/** `...{ code }` inside another object belongs to that one. */
const outermost = (brackets: Brackets, tokens: readonly Token[], open: number): number => {
  const isSpread = textAt(tokens, open - 1) === '...';
  return isSpread ? outermost(brackets, tokens, brackets.around[open] ?? -1) : open;
};

/** The texts of the fields of an object literal, spreads of literals included. */
const fieldsOf = ({ tokens, brackets }: Scanned, open: number): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  const close = brackets.partner.get(open) ?? open;
  for (let at = open + 1; at < close; at += 1) {
    const isField = tokens[at]?.kind === 'word' && textAt(tokens, at + 1) === ':';
    const isOwn = outermost(brackets, tokens, brackets.around[at] ?? -1) === open;
    if (!isField || !isOwn || fields.has(textAt(tokens, at))) continue;
    fields.set(textAt(tokens, at), readText({ tokens, brackets }, at + 2));
  }
  return fields;
};

/** The words of an expression: of a choice all of them, of what is put in only that something is. */
const readText = ({ tokens, brackets }: Scanned, from: number): string => {
  const around = brackets.around[from];
  const parts: string[] = [];
  for (let at = from; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (
      token === undefined ||
      (brackets.around[at] === around && /^[,)}\]]$/.test(token.text) && token.kind === 'mark')
    )
      break;
    if (token.kind === 'string' && brackets.around[at] === around && !isCompared(tokens, at)) parts.push(token.text);
    if (token.kind !== 'template' || brackets.around[at] !== around) continue;
    const piece = token.text.replace(/^[`}]/, '').replace(/(`|\$\{)$/, (end) => (end === '`' ? '' : '…'));
    if (token.text.startsWith('}')) parts.push(`${parts.pop() ?? ''}${piece}`);
    else parts.push(piece);
  }
  return parts.filter((part) => part !== '').join(' / ');
};

const isCompared = (tokens: readonly Token[], at: number): boolean =>
  [at - 1, at + 1].some((beside) => /^[!=]==$/.test(textAt(tokens, beside)));

/** `const bad = (code: string, message: string, …) => new FleetError('invalid', …)`: its name and its kind. */
const findHelpers = (tokens: readonly Token[]): readonly (readonly [string, ErrorCase['kind']])[] =>
  tokens.flatMap((token, at): readonly (readonly [string, ErrorCase['kind']])[] => {
    const isHelper =
      token.text === 'const' && ['=', '(', 'code', ':'].every((text, by) => textAt(tokens, at + 2 + by) === text);
    if (!isHelper) return [];
    const error = tokens.findIndex(
      ({ text }, later) => later > at && text === 'FleetError' && textAt(tokens, later - 1) === 'new',
    );
    const kind = kindAt(tokens, error + 2);
    return kind === undefined ? [] : [[textAt(tokens, at + 1), kind]];
  });

const findCalls = (file: Scanned, helpers: ReadonlyMap<string, ErrorCase['kind']>): readonly Found[] => {
  const { tokens, brackets } = file;
  return tokens.flatMap((token, at): readonly Found[] => {
    const kind = token.kind === 'word' ? helpers.get(token.text) : undefined;
    const code = tokens[at + 2]?.kind === 'string' ? textAt(tokens, at + 2) : '';
    if (kind === undefined || textAt(tokens, at + 1) !== '(' || !CODE.test(code)) return [];
    const commas = argumentCommas(file, at + 1);
    const [message, hint] = commas.map((comma) => readText({ tokens, brackets }, comma + 1));
    return [{ code, ...toCase(kind, message, hint) }];
  });
};

const argumentCommas = ({ tokens, brackets }: Scanned, open: number): readonly number[] => {
  const close = brackets.partner.get(open) ?? open;
  return tokens.flatMap(({ text, kind }, at) =>
    at > open && at < close && kind === 'mark' && text === ',' && brackets.around[at] === open ? [at] : [],
  );
};
