/**
 * The little of a shell that the recipes of docs/operating.md use: words, quotes, variables, `NAME=value` and
 * `NAME=$(command)`. Anything else is an error, so that a recipe cannot lean on what nobody tried.
 */

export type Variables = Map<string, string>;

const ASSIGNMENT = /^([A-Z_]+)=(.*)$/;
const SUBSTITUTION = /^\$\((.*)\)$/;
/** What a shell does more with than we do. */
const BEYOND = /[|&;<>`(){}*?[\]\\]/;

/** Runs one line; `run` gets the words of a command and gives what it prints. */
export const runLine = async (
  line: string,
  variables: Variables,
  run: (words: readonly string[]) => Promise<string>,
): Promise<void> => {
  const [, name, value = ''] = ASSIGNMENT.exec(line) ?? [];
  if (name === undefined) {
    await run(splitWords(line, variables));
    return;
  }
  const inner = SUBSTITUTION.exec(value)?.[1];
  const said = inner === undefined ? splitWords(value, variables)[0] : await run(splitWords(inner, variables));
  variables.set(name, said ?? '');
};

/** The words of a command: quotes removed, variables put in. Words are not split again after that. */
export const splitWords = (line: string, variables: ReadonlyMap<string, string>): readonly string[] => {
  const words: string[] = [];
  let word: string | undefined;
  let rest = line.trim();
  while (rest !== '' && !rest.startsWith('# ')) {
    const [whole = '', single, double, name, plain] = PART.exec(rest) ?? [];
    if (whole === '') throw new Error(`no command that a recipe may have: ${line}`);
    rest = rest.slice(whole.length);
    if (/^\s/.test(whole)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const inQuotes = double?.replace(/\$([A-Z_]+)/g, (_, variable: string) => lookUp(variables, variable));
    const outside = name === undefined ? plain : lookUp(variables, name);
    if (plain !== undefined && BEYOND.test(plain)) throw new Error(`more shell than a recipe may have: ${line}`);
    word = `${word ?? ''}${single ?? inQuotes ?? outside ?? ''}`;
  }
  return word === undefined ? words : [...words, word];
};

const PART = /^(?:\s+|'([^']*)'|"([^"]*)"|\$([A-Z_]+)|([^\s'"$]+))/;

const lookUp = (variables: ReadonlyMap<string, string>, name: string): string => {
  const value = variables.get(name);
  if (value === undefined) throw new Error(`$${name} is not set`);
  return value;
};
