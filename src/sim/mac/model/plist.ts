/** Property lists: the XML form to values and back, and the old form that `defaults read` prints. */
import { FleetError } from '../../../base/errors.ts';

export type PlistValue = string | number | boolean | Uint8Array | readonly PlistValue[] | PlistDict;
export interface PlistDict {
  readonly [key: string]: PlistValue;
}

export const isDict = (value: PlistValue | undefined): value is PlistDict =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array);

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const fromXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });

const toXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Token {
  readonly tag: string;
  readonly kind: 'open' | 'close' | 'empty';
  /** What stands before the next tag. */
  readonly text: string;
}

const TAG = /<(\/?)(\w+)(?:\s[^<>]*?)?(\/?)>([^<]*)/gy;

const tokensOf = (xml: string): Token[] => {
  const body = xml.replace(/<\?[^>]*\?>|<!--[\s\S]*?-->|<!DOCTYPE[^>]*>/g, '').trim();
  const tokens: Token[] = [];
  TAG.lastIndex = 0;
  let end = 0;
  for (let found = TAG.exec(body); found !== null; found = TAG.exec(body)) {
    const [, slash, tag = '', empty, text = ''] = found;
    tokens.push({ tag, kind: slash === '/' ? 'close' : empty === '/' ? 'empty' : 'open', text });
    end = TAG.lastIndex;
  }
  if (end !== body.length || tokens.length === 0) throw badPlist('it is no XML');
  return tokens;
};

const badPlist = (why: string): FleetError =>
  new FleetError('invalid', { code: 'BadPlist', message: `no property list: ${why}`, hint: 'Look at it with plutil.' });

/** Throws `invalid`. */
export const parsePlist = (xml: string): PlistValue => {
  const tokens = tokensOf(xml);
  const shell = tokens.shift();
  if (shell?.tag !== 'plist' || shell.kind !== 'open') throw badPlist('it does not begin with <plist>');
  const value = takeValue(tokens);
  if (tokens.length !== 1 || tokens[0]?.tag !== 'plist') throw badPlist('something follows the value');
  return value;
};

const takeValue = (tokens: Token[]): PlistValue => {
  const token = tokens.shift();
  if (token === undefined || token.kind === 'close') throw badPlist('a value is missing');
  if (token.kind === 'empty') return emptyValue(token.tag);
  if (token.tag === 'dict') return takeDict(tokens);
  if (token.tag === 'array') return takeArray(tokens);
  closeOf(tokens, token.tag);
  return scalar(token);
};

const emptyValue = (tag: string): PlistValue => {
  if (tag === 'true' || tag === 'false') return tag === 'true';
  if (tag === 'dict') return {};
  if (tag === 'array') return [];
  if (tag === 'string') return '';
  throw badPlist(`<${tag}/>`);
};

const scalar = ({ tag, text }: Token): PlistValue => {
  if (tag === 'string' || tag === 'date') return fromXml(text);
  if (tag === 'data') return Buffer.from(text, 'base64');
  const number = Number(text);
  if ((tag === 'integer' || tag === 'real') && !Number.isNaN(number)) return number;
  throw badPlist(`<${tag}>${text}`);
};

const closeOf = (tokens: Token[], tag: string): void => {
  const close = tokens.shift();
  if (close?.kind !== 'close' || close.tag !== tag) throw badPlist(`<${tag}> is not closed`);
};

const takeDict = (tokens: Token[]): PlistDict => {
  const dict: Record<string, PlistValue> = {};
  while (tokens[0]?.kind !== 'close') {
    const key = tokens.shift();
    if (key?.tag !== 'key') throw badPlist('a key is missing');
    closeOf(tokens, 'key');
    dict[fromXml(key.text)] = takeValue(tokens);
  }
  closeOf(tokens, 'dict');
  return dict;
};

const takeArray = (tokens: Token[]): readonly PlistValue[] => {
  const array: PlistValue[] = [];
  while (tokens[0]?.kind !== 'close') array.push(takeValue(tokens));
  closeOf(tokens, 'array');
  return array;
};

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">`;

export const renderPlist = (value: PlistValue): string => `${HEAD}\n${renderXml(value, '')}\n</plist>\n`;

const renderXml = (value: PlistValue, indent: string): string => {
  const inner = `${indent}\t`;
  if (typeof value === 'string') return `${indent}<string>${toXml(value)}</string>`;
  if (typeof value === 'boolean') return `${indent}<${value}/>`;
  if (typeof value === 'number') {
    const tag = Number.isInteger(value) ? 'integer' : 'real';
    return `${indent}<${tag}>${value}</${tag}>`;
  }
  if (value instanceof Uint8Array) return `${indent}<data>${Buffer.from(value).toString('base64')}</data>`;
  if (isDict(value)) {
    const lines = Object.entries(value).map(([key, of]) => `${inner}<key>${toXml(key)}</key>\n${renderXml(of, inner)}`);
    return [`${indent}<dict>`, ...lines, `${indent}</dict>`].join('\n');
  }
  return [`${indent}<array>`, ...value.map((of) => renderXml(of, inner)), `${indent}</array>`].join('\n');
};

/** As `defaults read` prints it. */
export const renderOldStyle = (value: PlistValue, indent = ''): string => {
  const inner = `${indent}    `;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return indent === '' || /^[\w./]+$/.test(value) ? value : JSON.stringify(value);
  if (value instanceof Uint8Array) return `{length = ${value.length}, bytes = 0x${Buffer.from(value).toString('hex')}}`;
  if (isDict(value)) {
    const lines = Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(
        ([key, of]) =>
          `${inner}${/^\w+$/.test(key) ? key : JSON.stringify(key)} = ${renderOldStyle(of, inner).trimStart()};`,
      );
    return ['{', ...lines, `${indent}}`].join('\n');
  }
  return ['(', value.map((of) => `${inner}${renderOldStyle(of, inner)}`).join(',\n'), `${indent})`].join('\n');
};
