/** The commands that read and write property lists: defaults, plutil, PlistBuddy. The files are the state. */
import { messageOf } from '../../../base/errors.ts';
import { type CommandAnswer, type CommandCall, complain, type MacCommands, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';
import { isDict, type PlistDict, type PlistValue, parsePlist, renderOldStyle, renderPlist } from './plist.ts';

export const createPreferences = (files: MacFiles): MacCommands => ({
  defaults: (call) => defaults(files, call),
  plutil: (call) => plutil(files, call),
  PlistBuddy: ({ args }) => plistBuddy(files, args),
});

/** A key of a plist on the disk; undefined for anything that is not there or cannot be read. */
export const readPreference = (files: MacFiles, path: string, key: string): PlistValue | undefined => {
  const text = files.readText(path);
  if (text === undefined) return undefined;
  try {
    const value = parsePlist(text);
    return isDict(value) ? value[key] : undefined;
  } catch {
    return undefined;
  }
};

const pathOf = (domain: string, uid: number): string => {
  const home = uid === 0 ? '/var/root' : '/Users/m1';
  const path = domain.startsWith('/') ? domain : `${home}/Library/Preferences/${domain}`;
  return path.endsWith('.plist') ? path : `${path}.plist`;
};

const readDict = (files: MacFiles, path: string): PlistDict | undefined => {
  const text = files.readText(path);
  const value = text === undefined ? undefined : parsePlist(text);
  return isDict(value) ? value : undefined;
};

const defaults = (files: MacFiles, { args, uid }: CommandCall): CommandAnswer => {
  const [verb, domain = '', key, ...rest] = args[0] === '-currentHost' ? args.slice(1) : args;
  const path = pathOf(domain, uid);
  const dict = readDict(files, path);
  const value = key === undefined ? dict : dict?.[key];
  if (verb === 'read') {
    if (value !== undefined) return say(renderOldStyle(value));
    const what = key === undefined ? `Domain ${domain}` : `The domain/default pair of (${domain}, ${key})`;
    return complain(1, '', `${what} does not exist`);
  }
  if (uid !== 0 && !path.startsWith('/Users/m1/')) return complain(1, `Could not write domain ${domain}; exiting`);
  if (verb === 'write' && key !== undefined) {
    const written = parseTyped(rest);
    if (written === undefined) return complain(255, 'Unexpected argument; leaving defaults unchanged.');
    files.write(path, renderPlist({ ...dict, [key]: written }), uid === 0 ? {} : { uid, gid: 20 });
    return quiet;
  }
  if (verb !== 'delete') return complain(255, "Command line interface to a user's defaults.");
  if (value === undefined) return complain(1, '', `Domain (${domain}) not found.`, 'Defaults have not been changed.');
  if (key === undefined) files.remove(path);
  else files.write(path, renderPlist(Object.fromEntries(Object.entries(dict ?? {}).filter(([name]) => name !== key))));
  return quiet;
};

const isTrue = (text: string): boolean => ['true', 'yes', '1'].includes(text.toLowerCase());

/** The value that follows a key: `-int 3`, `-dict a -int 1`, `text`. */
const parseTyped = (words: readonly string[]): PlistValue | undefined => {
  const [type = '', ...rest] = words;
  if (type === '-array' || type === '-array-add') return parseList(rest);
  if (type === '-dict' || type === '-dict-add') return parsePairs(rest);
  const [value, taken] = takeTyped(words);
  return taken === words.length ? value : undefined;
};

/** One value and how many words it took. */
const takeTyped = (words: readonly string[]): readonly [PlistValue | undefined, number] => {
  const [type = '', value] = words;
  if (!/^-(int|integer|float|bool|boolean|string|date)$/.test(type)) return [words[0], 1];
  if (value === undefined) return [undefined, 1];
  if (type.startsWith('-int') || type === '-float')
    return Number.isNaN(Number(value)) ? [undefined, 2] : [Number(value), 2];
  return [type.startsWith('-bool') ? isTrue(value) : value, 2];
};

const parseList = (words: readonly string[]): readonly PlistValue[] | undefined => {
  const list: PlistValue[] = [];
  for (let at = 0; at < words.length; ) {
    const [value, taken] = takeTyped(words.slice(at));
    if (value === undefined) return undefined;
    list.push(value);
    at += taken;
  }
  return list;
};

const parsePairs = (words: readonly string[]): PlistDict | undefined => {
  const dict: Record<string, PlistValue> = {};
  for (let at = 0; at < words.length; ) {
    const key = words[at] ?? '';
    const [value, taken] = takeTyped(words.slice(at + 1));
    if (value === undefined) return undefined;
    dict[key] = value;
    at += 1 + taken;
  }
  return dict;
};

const plutil = (files: MacFiles, call: CommandCall): CommandAnswer => {
  const args = call.args.filter((arg) => arg !== '-s');
  const [verb, ...rest] = args;
  const path = rest.at(-1) ?? '';
  const isTyped = path === '-';
  const text = isTyped ? call.stdin : files.readText(path.startsWith('/') ? path : `${call.cwd}/${path}`);
  const name = isTyped ? '<stdin>' : path;
  if (text === undefined)
    return complain(1, `${name}: file does not exist or is not readable or is not a regular file`);
  let value: PlistValue;
  try {
    value = parsePlist(text);
  } catch (error) {
    return { exitCode: 1, stdout: `${name}: ${messageOf(error)}\n` };
  }
  if (verb === '-lint') return call.args.includes('-s') ? quiet : say(`${name}: OK`);
  if (verb === '-p') return say(renderOldStyle(value));
  if (verb === '-extract') return extract(value, rest);
  if (verb === '-convert' && rest[0] === 'json') return say(JSON.stringify(value));
  if (verb === '-convert') return { exitCode: 0, stdout: rest.includes('-o') ? renderPlist(value) : '' };
  return complain(1, `plutil: the simulated plutil does not know ${verb}`);
};

const extract = (value: PlistValue, [keyPath = '', format]: readonly string[]): CommandAnswer => {
  const found = keyPath
    .split('.')
    .reduce<PlistValue | undefined>((at, key) => (isDict(at) ? at[key] : itemOf(at, key)), value);
  if (found === undefined)
    return complain(1, `Could not extract value, error: No value at that key path or invalid key path: ${keyPath}`);
  if (format === 'raw') return say(typeof found === 'object' ? String(Object.keys(found).length) : String(found));
  return say(format === 'json' ? JSON.stringify(found) : renderPlist(found).trimEnd());
};

const itemOf = (value: PlistValue | undefined, index: string): PlistValue | undefined =>
  Array.isArray(value) ? value[Number(index)] : undefined;

const plistBuddy = (files: MacFiles, [, command = '', path = '']: readonly string[]): CommandAnswer => {
  const [verb, key = ''] = command.split(' ');
  const dict = readDict(files, path);
  if (verb !== 'Print' || dict === undefined) return complain(1, 'the simulated PlistBuddy prints keys of a file only');
  const value = dict[key.replace(/^:/, '')];
  return value === undefined ? complain(1, `Print: Entry, "${key}", Does Not Exist`) : say(renderOldStyle(value));
};
