/** The language of pf.conf, as far as hosts use it: text to tables and rules, or the line that pfctl would refuse. */

export interface PfTable {
  readonly name: string;
  /** Outlives the rules that name it; only `-T kill` removes it. */
  readonly persist: boolean;
  readonly addresses: readonly string[];
}

export interface LoadAnchor {
  readonly anchor: string;
  readonly path: string;
}

export interface PfRuleset {
  readonly tables: readonly PfTable[];
  /** One line each, single-spaced. */
  readonly rules: readonly string[];
  readonly loads: readonly LoadAnchor[];
}

export type ParsedPf = PfRuleset | { readonly badLine: number };

/** Statements of pf come in this order; a file that breaks it is refused. */
const ORDER: readonly RegExp[] = [
  /^set /,
  /^(scrub|scrub-anchor)\b/,
  /^(nat|rdr|binat|no nat|no rdr|nat-anchor|rdr-anchor|binat-anchor)\b/,
  /^dummynet-anchor\b/,
  /^(pass|block|anchor|antispoof|match)\b/,
];
const TABLE = /^table <([\w.-]+)>((?: (?:persist|const|counters))*)(?: \{([^{}]*)\})?$/;
const LOAD = /^load anchor "([^"]+)" from "([^"]+)"$/;
const MACRO = /^[a-z]\w* ?= ?"[^"]*"$/i;
const ADDRESS = /^!? ?(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?|[0-9a-f]*:[0-9a-f:]*(?:\/\d{1,3})?|self)$/i;
/** A carriage return, and whatever else no rule holds. */
const FOREIGN = /[^\t\x20-\x7e]/;

interface Statement {
  readonly text: string;
  readonly line: number;
}

/** Statements with comments removed; one that is open at a brace or ends in a backslash goes on in the next line. */
const statementsOf = (text: string): readonly Statement[] => {
  const statements: Statement[] = [];
  let open = '';
  let from = 1;
  for (const [at, raw] of text.split('\n').entries()) {
    const part = raw.replace(/#[^\n]*$/, '');
    if (open === '') from = at + 1;
    open = `${open} ${part.replace(/\\$/, '')}`.replace(/^[ \t]+|[ \t]+$/g, '');
    const isOpen = part.endsWith('\\') || open.split('{').length > open.split('}').length;
    if (isOpen) continue;
    if (open !== '') statements.push({ text: open.replace(/[ \t]+/g, ' '), line: from });
    open = '';
  }
  return open === '' ? statements : [...statements, { text: open, line: from }];
};

export const parsePf = (text: string): ParsedPf => {
  const tables: PfTable[] = [];
  const rules: string[] = [];
  const loads: LoadAnchor[] = [];
  let stage = 0;
  for (const { text: statement, line } of statementsOf(text)) {
    if (FOREIGN.test(statement)) return { badLine: line };
    const table = parseTable(statement);
    const load = LOAD.exec(statement);
    if (table !== undefined) tables.push(table);
    else if (load !== null) loads.push({ anchor: load[1] ?? '', path: load[2] ?? '' });
    else if (!MACRO.test(statement)) {
      const kind = ORDER.findIndex((pattern) => pattern.test(statement));
      if (kind < stage || !isRule(statement)) return { badLine: line };
      stage = kind;
      rules.push(statement);
    }
  }
  return { tables, rules, loads };
};

const isRule = (statement: string): boolean => {
  const quotes = statement.split('"').length - 1;
  return quotes % 2 === 0 && !/^(?:pass|block)\S/.test(statement) && !/\b(?:from|to|on)$/.test(statement);
};

const parseTable = (statement: string): PfTable | undefined => {
  const [, name, flags = '', list = ''] = TABLE.exec(statement) ?? [];
  if (name === undefined) return undefined;
  const addresses = list.split(/[\s,]+/).filter((address) => address !== '');
  if (!addresses.every((address) => ADDRESS.test(address))) return undefined;
  return { name, persist: flags.includes('persist'), addresses };
};
