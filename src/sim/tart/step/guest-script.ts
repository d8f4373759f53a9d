/** The little of bash that a guest on the virtual clock understands: words that print, wait and end. Pure. */

export type ScriptStep =
  | { readonly do: 'print'; readonly text: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'end'; readonly code: number }
  /** Goes on, with this status. */
  | { readonly do: 'status'; readonly code: number }
  /** A program of the image, which the script goes on after; with what stands before its name as `NAME=value`. */
  | { readonly do: 'program'; readonly name: string; readonly env: Readonly<Record<string, string>> };

/** `programs` are the names that the image brings. */
export const planScript = (script: string, programs: readonly string[] = []): readonly ScriptStep[] =>
  script
    .split(/[;\n]/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '' && !statement.startsWith('#'))
    .flatMap((statement) => planProgram(statement, programs) ?? planStatement(statement));

const ASSIGNMENT = /^(\w+)=(\S*)$/;

const planProgram = (statement: string, programs: readonly string[]): readonly ScriptStep[] | undefined => {
  const words = statement.replace(/^exec /, '').split(/\s+/);
  const at = words.findIndex((word) => !ASSIGNMENT.test(word));
  const name = words[at] ?? '';
  if (!programs.includes(name)) return undefined;
  const env = Object.fromEntries(words.slice(0, at).map((word) => (ASSIGNMENT.exec(word) ?? []).slice(1, 3)));
  return [{ do: 'program', name, env }];
};

const NOT_FOUND = 127;
const SYSTEM_VERSION = 'ProductName:\t\tmacOS\nProductVersion:\t\t26.1\nBuildVersion:\t\t25B78\n';

const planStatement = (statement: string): readonly ScriptStep[] => {
  const [verb = '', ...words] = statement.split(/\s+/);
  const [first = '0'] = words;
  switch (verb) {
    case 'echo':
      return [
        { do: 'print', text: `${unquote(words.join(' '))}\n` },
        { do: 'status', code: 0 },
      ];
    case 'sw_vers':
      return [
        { do: 'print', text: SYSTEM_VERSION },
        { do: 'status', code: 0 },
      ];
    case 'sleep':
      return [{ do: 'wait', ms: first === 'infinity' ? Number.POSITIVE_INFINITY : Number(first) * 1_000 }];
    case 'exit':
      return [{ do: 'end', code: Number(first) }];
    case 'true':
    case ':':
      return [{ do: 'status', code: 0 }];
    case 'false':
      return [{ do: 'status', code: 1 }];
    default:
      return [
        { do: 'print', text: `bash: ${verb}: command not found\n` },
        { do: 'status', code: NOT_FOUND },
      ];
  }
};

const unquote = (text: string): string => text.replace(/^(['"])(.*)\1$/, '$2');
