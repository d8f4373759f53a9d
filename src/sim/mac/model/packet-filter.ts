/**
 * The packet filter of a simulated Mac: a main ruleset, anchors below it, tables in each of these scopes, and what of it all
 * is evaluated. It wedges as the real one did:
 *
 * - A whole ruleset cannot be loaded over tables that are already there ("Resource busy"): a live host is no freshly booted one.
 * - An anchor cannot redefine a table that was left behind as `persist`, be it in the anchor or in the main ruleset.
 * - Flushing never removes a persist table; killing it does, in one scope at a time.
 */
import type { MacFiles } from './files.ts';
import { type ParsedPf, type PfRuleset, type PfTable, parsePf } from './pf-text.ts';

/** The main ruleset's. */
export const MAIN = '';

interface Scope {
  rules: readonly string[];
  readonly tables: Map<string, PfTable>;
}

export type PfOutcome = { readonly ok: true } | { readonly ok: false; readonly complaint: readonly string[] };

export interface PacketFilter {
  isEnabled(): boolean;
  setEnabled(value: 'on' | 'off'): void;
  /** The rules in the file become those of the scope, all or none. */
  load(scope: string, source: PfSource): PfOutcome;
  /** Parses only. */
  check(source: PfSource): PfOutcome;
  rules(scope: string): readonly string[];
  tables(scope: string): readonly PfTable[];
  table(scope: string, name: string): PfTable | undefined;
  setTable(scope: string, table: PfTable): void;
  killTable(scope: string, name: string): boolean;
  flush(scope: string, what: 'rules' | 'tables' | 'all'): void;
  /** Names of all anchors that hold something. */
  anchors(): readonly string[];
  /** Whether packets meet the rules of this anchor. */
  isEvaluated(anchor: string): boolean;
  /** Whole rulesets loaded since the boot, that of the boot not counted. */
  fullLoads(): number;
  boot(): void;
}

export interface PfSource {
  readonly path: string;
  readonly text: string | undefined;
}

const OK: PfOutcome = { ok: true };
const refuse = (...complaint: readonly string[]): PfOutcome => ({ ok: false, complaint });

/** What macOS itself puts below com.apple once it runs: nobody else's business. */
const APPLE_ANCHORS: Readonly<Record<string, readonly string[]>> = {
  'com.apple/250.ApplicationFirewall': ['block drop in quick proto tcp from any to any port 5000 label "appfw"'],
  'com.apple/internet-sharing': ['nat on en0 inet from 192.168.64.0/22 to any -> (en0)'],
};

type Scopes = Map<string, Scope>;

export const createPacketFilter = (files: MacFiles): PacketFilter => {
  const scopes: Scopes = new Map();
  let isEnabled = false;
  let fullLoads = 0;
  return {
    isEnabled: () => isEnabled,
    setEnabled: (value) => {
      isEnabled = value === 'on';
    },
    load: (name, source) => {
      if (name !== MAIN) return loadAnchor(scopes, name, source);
      fullLoads += 1;
      return loadMain(scopes, files, source);
    },
    check: (source) => {
      const parsed = parseSource(source);
      return 'complaint' in parsed ? parsed : OK;
    },
    rules: (name) => scopes.get(name)?.rules ?? [],
    tables: (name) => [...(scopes.get(name)?.tables.values() ?? [])],
    table: (where, name) => scopes.get(where)?.tables.get(name),
    setTable: (where, table) => void scopeOf(scopes, where).tables.set(table.name, table),
    killTable: (where, name) => scopes.get(where)?.tables.delete(name) === true,
    flush: (name, what) => flush(scopeOf(scopes, name), what),
    anchors: () => [...scopes.keys()].filter((name) => name !== MAIN).sort(),
    isEvaluated: (anchor) => isEnabled && isReferenced(scopes.get(MAIN)?.rules ?? [], anchor),
    fullLoads: () => fullLoads,
    boot: () => {
      scopes.clear();
      fullLoads = 0;
      isEnabled = false;
      // Quietly left without rules if the file is bad, as macOS does.
      loadMain(scopes, files, { path: '/etc/pf.conf', text: files.readText('/etc/pf.conf') });
      for (const [anchor, rules] of Object.entries(APPLE_ANCHORS)) scopeOf(scopes, anchor).rules = rules;
    },
  };
};

const scopeOf = (scopes: Scopes, name: string): Scope => {
  const known = scopes.get(name) ?? { rules: [], tables: new Map() };
  scopes.set(name, known);
  return known;
};

const put = (scopes: Scopes, name: string, { rules, tables }: PfRuleset): void => {
  const into = scopeOf(scopes, name);
  flush(into, 'tables');
  for (const table of tables) into.tables.set(table.name, table);
  into.rules = rules;
};

const loadAnchor = (scopes: Scopes, name: string, source: PfSource): PfOutcome => {
  const parsed = parseSource(source);
  if ('complaint' in parsed) return parsed;
  const isLeftBehind = (table: string): boolean =>
    [name, MAIN].some((where) => scopes.get(where)?.tables.get(table)?.persist === true);
  const wedged = parsed.tables.find((table) => !table.persist && isLeftBehind(table.name));
  if (wedged !== undefined) return busy(wedged.name);
  put(scopes, name, parsed);
  return OK;
};

const loadMain = (scopes: Scopes, files: MacFiles, source: PfSource): PfOutcome => {
  const parsed = parseSource(source);
  if ('complaint' in parsed) return parsed;
  const parts = new Map<string, PfRuleset>();
  for (const { anchor, path } of parsed.loads) {
    const part = parseSource({ path, text: files.readText(path) });
    if ('complaint' in part) return part;
    const twice = parts.get(anchor)?.tables ?? [];
    const isTaken = (table: string): boolean =>
      twice.some(({ name }) => name === table) ||
      [anchor, MAIN].some((where) => scopes.get(where)?.tables.has(table) === true);
    const taken = part.tables.find(({ name }) => isTaken(name));
    if (taken !== undefined) return busy(taken.name);
    parts.set(anchor, part);
  }
  put(scopes, MAIN, parsed);
  for (const [anchor, part] of parts) put(scopes, anchor, part);
  return OK;
};

const flush = (scope: Scope, what: 'rules' | 'tables' | 'all'): void => {
  if (what !== 'tables') scope.rules = [];
  if (what === 'rules') return;
  for (const { name, persist } of [...scope.tables.values()]) if (!persist) scope.tables.delete(name);
};

const busy = (table: string): PfOutcome => refuse(`pfctl: cannot define table ${table}: Resource busy`);

const isBad = (parsed: ParsedPf): parsed is { readonly badLine: number } => 'badLine' in parsed;

const parseSource = ({
  path,
  text,
}: PfSource): PfRuleset | { readonly ok: false; readonly complaint: readonly string[] } => {
  if (text === undefined) return { ok: false, complaint: [`pfctl: ${path}: No such file or directory`] };
  const parsed = parsePf(text);
  if (!isBad(parsed)) return parsed;
  const complaint = [
    `${path}:${parsed.badLine}: syntax error`,
    'pfctl: Syntax error in config file: pf rules not loaded',
  ];
  return { ok: false, complaint };
};

/** `anchor "a/*"` evaluates what is directly below a. */
const isReferenced = (mainRules: readonly string[], anchor: string): boolean =>
  mainRules
    .flatMap((rule) => /^anchor "([^"]+)"/.exec(rule)?.[1] ?? [])
    .some((name) => name === anchor || (name.endsWith('/*') && isDirectlyBelow(anchor, name.slice(0, -2))));

const isDirectlyBelow = (anchor: string, parent: string): boolean =>
  anchor.startsWith(`${parent}/`) && !anchor.slice(parent.length + 1).includes('/');
