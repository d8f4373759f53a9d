/** The command pfctl. */
import { type CommandAnswer, type CommandCall, complain, type MacCommand, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';
import { MAIN, type PacketFilter } from './packet-filter.ts';

interface PfctlOptions {
  readonly anchor: string;
  readonly file?: string;
  readonly table?: string;
  readonly tableCommand?: string;
  readonly addresses: readonly string[];
  readonly show?: string;
  readonly flush?: string;
  /** Letters without a value. */
  readonly flags: string;
}

const WITH_VALUE = 'afFtTsX';

/** Options may be joined (`-nf file`, `-sr`); undefined for one that pfctl does not have. */
const parseOptions = (args: readonly string[]): PfctlOptions | undefined => {
  const values: Record<string, string> = {};
  const rest = [...args];
  const addresses: string[] = [];
  let flags = '';
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (!arg.startsWith('-') || arg === '-') {
      addresses.push(arg);
      continue;
    }
    const at = [...arg.slice(1)].findIndex((letter) => WITH_VALUE.includes(letter));
    flags += at === -1 ? arg.slice(1) : arg.slice(1, at + 1);
    if (at === -1) continue;
    const value = arg.slice(at + 2) || rest.shift();
    if (value === undefined) return undefined;
    values[arg[at + 1] ?? ''] = value;
  }
  if (/[^nqvreEdPNRAOm]/.test(flags)) return undefined;
  const { a = '', f: file, t: table, T: tableCommand, s: show, F: flush } = values;
  return {
    ...{ anchor: a === '/' ? MAIN : a, flags, addresses },
    ...(file === undefined ? {} : { file }),
    ...(table === undefined ? {} : { table }),
    ...(tableCommand === undefined ? {} : { tableCommand }),
    ...(show === undefined ? {} : { show }),
    ...(flush === undefined ? {} : { flush }),
  };
};

const ALTQ = ['No ALTQ support in kernel', 'ALTQ related functions disabled'];

export const createPfctl =
  (pf: PacketFilter, files: MacFiles): MacCommand =>
  (call) => {
    if (call.uid !== 0) return complain(1, 'pfctl: /dev/pf: Permission denied');
    const options = parseOptions(call.args);
    if (options === undefined) return complain(1, 'usage: pfctl [-deEghnNqrROsTvX] …');
    const done = act(pf, files, { call, options });
    if (done.exitCode !== 0) return done;
    const switched = switchOnOff(pf, options.flags);
    const stderr = `${done.stderr ?? ''}${switched.stderr ?? ''}`;
    return { ...switched, stdout: done.stdout ?? '', stderr };
  };

interface Work {
  readonly call: CommandCall;
  readonly options: PfctlOptions;
}

const act = (pf: PacketFilter, files: MacFiles, { call, options }: Work): CommandAnswer => {
  if (options.table !== undefined) return actOnTable(pf, { ...options, table: options.table });
  if (options.flush !== undefined) return flush(pf, options.anchor, options.flush);
  if (options.file !== undefined) return load(pf, files, { call, options });
  return options.show === undefined ? quiet : show(pf, options.anchor, { what: options.show, flags: options.flags });
};

const load = (pf: PacketFilter, files: MacFiles, { call, options }: Work): CommandAnswer => {
  const { file = '' } = options;
  const isTyped = file === '-' || file === '/dev/stdin';
  const path = file.startsWith('/') ? file : `${call.cwd}/${file}`;
  const source = isTyped ? { path: 'stdin', text: call.stdin } : { path, text: files.readText(path) };
  const outcome = options.flags.includes('n') ? pf.check(source) : pf.load(options.anchor, source);
  return outcome.ok ? { exitCode: 0, stderr: `${ALTQ.join('\n')}\n` } : complain(1, ...ALTQ, ...outcome.complaint);
};

const flush = (pf: PacketFilter, anchor: string, what: string): CommandAnswer => {
  const [letter = ''] = what.toLowerCase();
  if (what === 'Tables' || letter === 't') pf.flush(anchor, 'tables');
  else if (letter === 'r') pf.flush(anchor, 'rules');
  else if (letter === 'a') pf.flush(anchor, 'all');
  return complain(0, `${what.toLowerCase()} cleared`);
};

const NO_TABLE = 255;

const actOnTable = (pf: PacketFilter, options: PfctlOptions & { readonly table: string }): CommandAnswer => {
  const { anchor, table, tableCommand = 'show', addresses } = options;
  const found = pf.table(anchor, table);
  if (tableCommand === 'add' || tableCommand === 'replace') {
    const kept = tableCommand === 'add' ? (found?.addresses ?? []) : [];
    pf.setTable(anchor, { name: table, persist: found?.persist ?? true, addresses: [...kept, ...addresses] });
    return complain(0, `${addresses.length}/${addresses.length} addresses added.`);
  }
  if (found === undefined) return complain(NO_TABLE, 'pfctl: Table does not exist.');
  if (tableCommand === 'kill') {
    pf.killTable(anchor, table);
    return complain(0, '1 table deleted.');
  }
  if (tableCommand === 'flush') pf.setTable(anchor, { ...found, addresses: [] });
  if (tableCommand === 'flush') return complain(0, `${found.addresses.length} addresses deleted.`);
  return say(...found.addresses.map((address) => `   ${address}`));
};

const show = (
  pf: PacketFilter,
  anchor: string,
  { what, flags }: { readonly what: string; readonly flags: string },
): CommandAnswer => {
  if (what === 'Anchors' || what === 'A') return say(...anchorsBelow(pf, anchor, flags).map((name) => `  ${name}`));
  if (what === 'Tables' || what === 'T') return say(...pf.tables(anchor).map(({ name }) => name));
  if (what.startsWith('i')) return say(`Status: ${pf.isEnabled() ? 'Enabled' : 'Disabled'} for 0 days 00:10:00`);
  const isTranslation = (rule: string): boolean => /^(nat|rdr|binat|no nat|no rdr)/.test(rule);
  const rules = pf.rules(anchor).map((rule) => (/^(?:\S+-)?anchor/.test(rule) ? `${rule} all` : rule));
  if (what.startsWith('n')) return say(...rules.filter(isTranslation));
  if (!what.startsWith('r')) return quiet;
  const lines = rules.filter((rule) => !isTranslation(rule));
  return say(...(flags.includes('v') ? lines.flatMap((rule) => [rule, counters(pf, anchor)]) : lines));
};

const counters = (pf: PacketFilter, anchor: string): string => {
  const seen = anchor === MAIN ? pf.isEnabled() : pf.isEvaluated(anchor);
  return `  [ Evaluations: ${seen ? 17 : 0}         Packets: 0         Bytes: 0           States: 0     ]`;
};

/** Without -v one level, and with it all. */
const anchorsBelow = (pf: PacketFilter, anchor: string, flags: string): readonly string[] => {
  const prefix = anchor === MAIN ? '' : `${anchor}/`;
  const below = pf.anchors().filter((name) => name.startsWith(prefix));
  if (flags.includes('v')) return below;
  const depth = prefix.split('/').length;
  return [...new Set(below.map((name) => name.split('/').slice(0, depth).join('/')))];
};

const switchOnOff = (pf: PacketFilter, flags: string): CommandAnswer => {
  if (flags.includes('d')) {
    pf.setEnabled('off');
    return complain(0, 'pf disabled');
  }
  const wasOn = pf.isEnabled();
  if (flags.includes('e') && wasOn) return complain(1, 'pfctl: pf already enabled');
  if (!/[eE]/.test(flags)) return quiet;
  pf.setEnabled('on');
  const lines = wasOn ? ['pf already enabled'] : ['pf enabled'];
  return complain(0, ...lines, ...(flags.includes('E') ? ['Token : 4151928160321'] : []));
};
