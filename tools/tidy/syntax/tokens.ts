/**
 * TypeScript text as tokens and comments, cut by the compiler's own scanner, so that a rule never mistakes a comment or a
 * string for code. The scanner leaves two questions to its caller, which are answered here: whether a slash begins a
 * regular expression, and whether a brace ends a template's substitution.
 */
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner, type Scanner } from 'typescript/unstable/ast/scanner';

export type TokenKind = 'word' | 'string' | 'template' | 'number' | 'regex' | 'mark';

export interface Token {
  readonly kind: TokenKind;
  /** As written; of a string its value. */
  readonly text: string;
  readonly line: number;
}

export interface Comment {
  readonly text: string;
  readonly line: number;
}

export interface Scan {
  readonly tokens: readonly Token[];
  readonly comments: readonly Comment[];
}

/** Words after which a slash begins a regular expression although they are words. */
const BEFORE_EXPRESSION = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'await',
  'yield',
  'void',
  'throw',
]);

export const scan = (text: string): Scan => {
  const scanner = createScanner(false, undefined, text);
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  /** For each template under way, how many braces are open inside its substitution. */
  const templates: number[] = [];
  let line = 1;
  let countedTo = 0;

  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const actual = rescan(scanner, kind, { before: tokens.at(-1), templates });
    const start = scanner.getTokenStart();
    line += countLines(text, countedTo, start);
    countedTo = start;
    if (isComment(actual)) comments.push({ text: scanner.getTokenText(), line });
    else if (!isBlank(actual)) tokens.push({ kind: kindOf(actual), text: textOf(scanner, actual), line });
  }
  return { tokens, comments };
};

interface Around {
  readonly before: Token | undefined;
  readonly templates: number[];
}

const rescan = (scanner: Scanner, kind: SyntaxKind, { before, templates }: Around): SyntaxKind => {
  const depth = templates.at(-1);
  switch (kind) {
    case SyntaxKind.SlashToken:
    case SyntaxKind.SlashEqualsToken:
      return endsExpression(before) ? kind : scanner.reScanSlashToken();
    case SyntaxKind.TemplateHead:
      templates.push(0);
      return kind;
    case SyntaxKind.OpenBraceToken:
      if (depth !== undefined) templates[templates.length - 1] = depth + 1;
      return kind;
    case SyntaxKind.CloseBraceToken:
      if (depth === undefined) return kind;
      if (depth > 0) {
        templates[templates.length - 1] = depth - 1;
        return kind;
      }
      return endSubstitution(scanner, templates);
    default:
      return kind;
  }
};

const endSubstitution = (scanner: Scanner, templates: number[]): SyntaxKind => {
  const kind = scanner.reScanTemplateToken(false);
  if (kind === SyntaxKind.TemplateTail) templates.pop();
  return kind;
};

const endsExpression = (token: Token | undefined): boolean => {
  if (token === undefined) return false;
  if (token.kind === 'mark') return token.text === ')' || token.text === ']' || token.text === '}';
  return token.kind !== 'word' || !BEFORE_EXPRESSION.has(token.text);
};

const isComment = (kind: SyntaxKind): boolean =>
  kind === SyntaxKind.SingleLineCommentTrivia || kind === SyntaxKind.MultiLineCommentTrivia;

const isBlank = (kind: SyntaxKind): boolean =>
  kind === SyntaxKind.WhitespaceTrivia || kind === SyntaxKind.NewLineTrivia;

const KINDS: ReadonlyMap<SyntaxKind, TokenKind> = new Map([
  [SyntaxKind.StringLiteral, 'string'],
  [SyntaxKind.NoSubstitutionTemplateLiteral, 'template'],
  [SyntaxKind.TemplateHead, 'template'],
  [SyntaxKind.TemplateMiddle, 'template'],
  [SyntaxKind.TemplateTail, 'template'],
  [SyntaxKind.NumericLiteral, 'number'],
  [SyntaxKind.BigIntLiteral, 'number'],
  [SyntaxKind.RegularExpressionLiteral, 'regex'],
]);

const kindOf = (kind: SyntaxKind): TokenKind =>
  KINDS.get(kind) ?? (kind >= SyntaxKind.FirstKeyword || kind === SyntaxKind.Identifier ? 'word' : 'mark');

const textOf = (scanner: Scanner, kind: SyntaxKind): string =>
  kind === SyntaxKind.StringLiteral ? scanner.getTokenValue() : scanner.getTokenText();

const countLines = (text: string, from: number, to: number): number => {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
};
