/** Bodies in YAML: their value, and the keys that are said twice, told as kube-apiserver's parser tells them. */
import { type Document, isPair, isScalar, LineCounter, parseDocument, visit } from 'yaml';

export interface ReadYaml {
  /** Of keys that are said twice the last counts. */
  readonly value: unknown;
  /** `line 7: key "k" already set in map`. */
  readonly repeated: readonly string[];
}

/** Bounds what a small text of references can grow to. */
const ALIASES_MAX = 100;

/** Throws what is wrong with the text. */
export const readYaml = (text: string): ReadYaml => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (broken !== undefined) throw broken;
  return { value: document.toJS({ maxAliasCount: ALIASES_MAX }), repeated: listRepeated(document, lines) };
};

const listRepeated = (document: Document.Parsed, lines: LineCounter): readonly string[] => {
  if (document.errors.length === 0) return [];
  const keys = keysByOffset(document);
  return document.errors.map(({ pos: [offset] }) => {
    const key = keys.get(offset);
    const shown = typeof key === 'string' ? JSON.stringify(key) : String(key);
    return `line ${lines.linePos(offset).line}: key ${shown} already set in map`;
  });
};

const keysByOffset = (document: Document.Parsed): ReadonlyMap<number, unknown> => {
  const keys = new Map<number, unknown>();
  visit(document, (_at, node) => {
    if (!isPair(node) || !isScalar(node.key) || !node.key.range) return;
    keys.set(node.key.range[0], node.key.value);
  });
  return keys;
};

/** All of them as one error. */
export const renderRepeated = (repeated: readonly string[]): string =>
  ['yaml: unmarshal errors:', ...repeated].join('\n  ');
