/** Files and functions stay small enough to be read at once. What must be longer says why, here. */
import { findFunctions } from '../syntax/functions.ts';
import { type Finding, isTestCode, type Rule, type SourceFile, type Tree } from '../tree.ts';

const FILE_LINES_MAX = 400;
const TEST_FILE_LINES_MAX = 600;
const FUNCTION_LINES_MAX = 60;

/** Path, or `path#function`, and the reason. An entry that nothing needs any more is reported too. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

/** A group of tests is a chapter, not a function. */
const GROUPS = new Set(['describe', 'suite']);

interface TooLong extends Finding {
  readonly exception: string;
}

const checkFile = ({ path, text }: SourceFile): readonly TooLong[] => {
  const lines = text.split('\n').length - 1;
  const linesMax = isTestCode(path) ? TEST_FILE_LINES_MAX : FILE_LINES_MAX;
  if (lines <= linesMax) return [];
  const message = `the file has ${lines} lines, more than ${linesMax}; split it by decision, leaves become files of their own`;
  return [{ path, line: 1, message, exception: path }];
};

const checkFunctions = (tree: Tree, file: SourceFile): readonly TooLong[] => {
  const tokens = tree.tokensOf(file);
  return findFunctions(tokens)
    .filter(({ lines, handedTo }) => lines > FUNCTION_LINES_MAX && !(isTestCode(file.path) && GROUPS.has(handedTo)))
    .map(({ name, lines, first }) => ({
      path: file.path,
      line: tokens[first]?.line ?? 1,
      message: `function ${name || 'without a name'} has ${lines} lines, more than ${FUNCTION_LINES_MAX}; keep the branching, move the leaves out`,
      exception: `${file.path}#${name}`,
    }));
};

const isMeasured = ({ path }: SourceFile): boolean => path.endsWith('.ts') || path.endsWith('.sh');

export const sizesExcept = (exceptions: Readonly<Record<string, string>>): Rule => ({
  name: 'sizes',
  check: (tree) => {
    const tooLong = [
      ...tree.files.filter(isMeasured).flatMap(checkFile),
      ...tree.sources.flatMap((file) => checkFunctions(tree, file)),
    ];
    return [...tooLong.filter(({ exception }) => exceptions[exception] === undefined), ...stale(exceptions, tooLong)];
  },
});

const stale = (exceptions: Readonly<Record<string, string>>, tooLong: readonly TooLong[]): readonly Finding[] =>
  Object.keys(exceptions)
    .filter((key) => !tooLong.some(({ exception }) => exception === key))
    .map((key) => ({
      ...{ path: key.split('#')[0] ?? key, line: 1 },
      message: `${key} is no longer too long; drop its exception from sizes.ts`,
    }));

export const sizes = sizesExcept(EXCEPTIONS);
