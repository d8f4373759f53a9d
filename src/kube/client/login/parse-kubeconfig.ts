/**
 * Kubeconfig files as entries by name: text in, values out. Pure; load-cluster.ts reads the files, select-context.ts
 * picks from the entries. An error names the file and the field, never a value: it may be a token.
 */
import { parseDocument } from 'yaml';
import { FleetError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/json.ts';

export interface KubeconfigFile {
  readonly path: string;
  readonly text: string;
}

/** A named part of a file. */
export interface Entry {
  /** The file it stands in; relative paths in it start from there. */
  readonly path: string;
  /** For messages: `users "admin"`. */
  readonly label: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Several files together: for each name, and for the current context, the first file that has it wins. */
export interface Kubeconfig {
  readonly paths: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

export const parseKubeconfig = (files: readonly KubeconfigFile[]): Kubeconfig => {
  const roots = files.map(parseRoot);
  return {
    paths: files.map(({ path }) => path),
    currentContext: roots.map((root) => textField(root, 'current-context')).find((name) => name !== undefined),
    clusters: mergeEntries(roots, 'clusters', 'cluster'),
    users: mergeEntries(roots, 'users', 'user'),
    contexts: mergeEntries(roots, 'contexts', 'context'),
  };
};

const parseRoot = ({ path, text }: KubeconfigFile): Entry => {
  const root: Entry = { path, label: 'the file', fields: {} };
  const value = parseYaml(root, text);
  if (value === null) throw badField(root, 'is empty');
  if (!isRecord(value)) throw badField(root, 'is not a kubeconfig: it holds no fields');
  return { ...root, fields: value };
};

/** The parser's own messages quote the file, which may hold tokens; its codes do not. */
const parseYaml = (root: Entry, text: string): unknown => {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw badField(root, `is not YAML: ${error.code} in line ${error.linePos?.[0].line}`);
  try {
    return document.toJS();
  } catch {
    throw badField(root, 'is not YAML that can be unfolded: too many aliases');
  }
};

type Section = 'clusters' | 'users' | 'contexts';

const mergeEntries = (roots: readonly Entry[], section: Section, inner: string): ReadonlyMap<string, Entry> => {
  const merged = new Map<string, Entry>();
  for (const root of roots) {
    for (const [name, entry] of parseSection(root, section, inner)) if (!merged.has(name)) merged.set(name, entry);
  }
  return merged;
};

const parseSection = (root: Entry, section: Section, inner: string): readonly (readonly [string, Entry])[] => {
  const items = root.fields[section] ?? [];
  if (!Array.isArray(items)) throw badField(root, `has ${section} that are no list`);
  return items.map((item: unknown, at) => {
    const label = `${section}[${at}]`;
    if (!isRecord(item)) throw badField({ ...root, label }, 'has no fields');
    const name = textField({ path: root.path, label, fields: item }, 'name');
    if (name === undefined) throw badField({ ...root, label }, 'has no name');
    const fields = item[inner] ?? {};
    if (!isRecord(fields)) throw badField({ ...root, label }, `has a ${inner} without fields`);
    return [name, { path: root.path, label: `${section} "${name}"`, fields }] as const;
  });
};

/** The text of a field; absent, null and empty are the same, as to kubectl. */
export const textField = (entry: Entry, field: string): string | undefined => {
  const value = entry.fields[field];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw badField(entry, `has a ${field} that is no text`);
};

export const badField = (
  { path, label }: Pick<Entry, 'path' | 'label'>,
  problem: string,
  hint = 'Correct the file, or name another one.',
): FleetError =>
  new FleetError('invalid', { code: 'BadKubeconfig', message: `kubeconfig ${path}: ${label} ${problem}`, hint });
