/**
 * Bodies as text: parsed once, refused when they are broken or nested too deeply, and looked through for fields that are
 * said twice, which a parser would forget.
 */
import { messageOf } from '../../../base/errors.ts';
import type { ApiRequest } from '../http.ts';
import { ApiRefusal, badRequest } from '../refusal.ts';
import { type ReadYaml, readYaml } from './read-yaml.ts';

/** Deeper than any object of Kubernetes; what is nested beyond it was made to hurt. */
const DEPTH_MAX = 500;

export interface ReadBody {
  readonly value: unknown;
  /** As it was sent, or as JSON when it was sent as YAML. */
  readonly text: string;
  /** Keys of YAML that are said twice; those of JSON are in `text`. */
  readonly repeated?: readonly string[];
}

const YAML_TYPES = ['application/yaml', 'application/apply-patch+yaml'];
const JSON_TYPES = [
  ...['application/json', 'application/merge-patch+json', 'application/json-patch+json'],
  'application/strategic-merge-patch+json',
];

export const mediaTypeOf = ({ headers }: Pick<ApiRequest, 'headers'>): string =>
  (headers['content-type'] ?? 'application/json').split(';')[0]?.trim() || 'application/json';

/** The body's value and text; undefined when there is none. `what` is the kind it should be, for the refusal. */
export const readBody = (request: Pick<ApiRequest, 'headers' | 'body'>, what: string): ReadBody | undefined => {
  const { body } = request;
  if (body === undefined || body.length === 0) return undefined;
  const type = mediaTypeOf(request);
  checkMediaType(type);
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  checkDepth(text, what);
  if (!YAML_TYPES.includes(type)) return { value: parseJson(text, what), text };
  return tryJson(text) ?? readAsYaml(text, what);
};

/** Most that is sent as YAML is JSON, which is read much faster. What it says twice is told by its line, as in YAML. */
const tryJson = (text: string): ReadBody | undefined => {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const body = { value: JSON.parse(text), text };
    const isRepeating = mayRepeatFields(body) && fieldsInOrder(text).some(({ isRepeated }) => isRepeated);
    return isRepeating ? undefined : body;
  } catch {
    return undefined;
  }
};

const readAsYaml = (text: string, what: string): ReadBody => {
  const { value, repeated } = parseYaml(text, what);
  return { value, text: JSON.stringify(value), repeated };
};

const checkMediaType = (type: string): void => {
  if (YAML_TYPES.includes(type) || JSON_TYPES.includes(type)) return;
  const accepted = 'accepted media types include: application/json, application/yaml';
  const way = /protobuf|cbor/.test(type)
    ? ` (this is Macfleet's embedded control plane, which speaks no ${/cbor/.test(type) ? 'CBOR' : 'protobuf'}: set the client's content type to application/json)`
    : '';
  throw new ApiRefusal('UnsupportedMediaType', `the body of the request was in an unknown format - ${accepted}${way}`);
};

const unrecognized = (what: string, why: string, text: string): ApiRefusal => {
  const shown = text === '' ? '<empty>' : text.length > 30 ? `${text.slice(0, 30)} ...` : text;
  return badRequest(`the object provided is unrecognized (must be of type ${what}): ${why} (${shown})`);
};

export const missingBody = (what: string): ApiRefusal =>
  unrecognized(what, "couldn't get version/kind; json parse error: unexpected end of JSON input", '');

const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw unrecognized(what, `couldn't get version/kind; json parse error: ${messageOf(thrown)}`, text);
  }
};

const parseYaml = (text: string, what: string): ReadYaml => {
  try {
    return readYaml(text);
  } catch (thrown) {
    throw unrecognized(what, `yaml parse error: ${messageOf(thrown)}`, text);
  }
};

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = [91, 123];
const CLOSING = [93, 125];

const checkDepth = (text: string, what: string): void => {
  if (text.length < DEPTH_MAX * 2) return;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (OPENING.includes(code)) depth += 1;
    else if (CLOSING.includes(code)) depth -= 1;
    if (depth > DEPTH_MAX) {
      throw unrecognized(what, `json parse error: invalid character '${text[at]}' exceeded max depth`, text);
    }
  }
};

/** Where the string that begins at the quote ends. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
};

export interface SeenField {
  /** `spec.containers[0].name`. */
  readonly path: string;
  /** Whether the same field was said before in the same object. */
  readonly isRepeated: boolean;
}

/** Whether some field may be said twice: a parser keeps one of them, so the text of what it kept is shorter. */
export const mayRepeatFields = ({ text, value }: ReadBody): boolean => JSON.stringify(value).length !== text.length;

/** Every field of valid JSON in the order of the text. */
export const fieldsInOrder = (text: string): readonly SeenField[] => {
  const seen: SeenField[] = [];
  const skipSpace = (from: number): number => {
    let at = from;
    while (at < text.length && text.charCodeAt(at) <= 32) at += 1;
    return at;
  };
  const skipScalar = (from: number): number => {
    if (text.charCodeAt(from) === QUOTE) return endOfString(text, from) + 1;
    let at = from;
    while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at += 1;
    return at;
  };
  const readList = (from: number, path: string): number => {
    let at = skipSpace(from + 1);
    for (let index = 0; text[at] !== ']'; index += 1) {
      at = skipSpace(readValue(at, `${path}[${index}]`));
      if (text[at] === ',') at = skipSpace(at + 1);
    }
    return at + 1;
  };
  const readMap = (from: number, path: string): number => {
    const names = new Set<string>();
    let at = skipSpace(from + 1);
    while (text[at] !== '}') {
      const end = endOfString(text, at) + 1;
      const name = String(JSON.parse(text.slice(at, end)));
      const field = path === '' ? name : `${path}.${name}`;
      seen.push({ path: field, isRepeated: names.has(name) });
      names.add(name);
      at = skipSpace(readValue(skipSpace(skipSpace(end) + 1), field));
      if (text[at] === ',') at = skipSpace(at + 1);
    }
    return at + 1;
  };
  const readValue = (from: number, path: string): number => {
    if (text[from] === '{') return readMap(from, path);
    return text[from] === '[' ? readList(from, path) : skipScalar(from);
  };
  readValue(skipSpace(0), '');
  return seen;
};
