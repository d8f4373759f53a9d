/** RFC 6902: a list of operations on paths, all or none. */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { ApiRefusal, badRequest } from '../refusal.ts';
import { setOwn } from './merge-patch.ts';

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}

export const applyJsonPatch = (target: unknown, patch: unknown): unknown => {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch must be a list of operations');
  let result = target;
  for (const item of patch) result = applyOperation(result, parseOperation(item));
  return result;
};

const parseOperation = (item: unknown): Operation => {
  const { op, path, from, value } = isRecord(item) ? item : {};
  if (typeof op !== 'string' || typeof path !== 'string') throw badRequest('a JSON patch operation needs op and path');
  return { op, path: parsePointer(path), from: typeof from === 'string' ? parsePointer(from) : [], value };
};

const parsePointer = (pointer: string): readonly string[] => {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw badRequest(`${JSON.stringify(pointer)} is not a JSON pointer`);
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
};

const applyOperation = (root: unknown, { op, path, from, value }: Operation): unknown => {
  switch (op) {
    case 'add':
      return edit(root, path, (parent, key) => insert(parent, key, value));
    case 'remove':
      return edit(root, path, take);
    case 'replace':
      return edit(root, path, (parent, key) =>
        isRecord(parent) ? withField(parent, key, value) : insert(take(parent, key), key, value),
      );
    case 'move':
      return edit(edit(root, from, take), path, (parent, key) => insert(parent, key, find(root, from)));
    case 'copy':
      return edit(root, path, (parent, key) => insert(parent, key, find(root, from)));
    case 'test':
      if (isEqualJson(find(root, path), value)) return root;
      throw refused();
    default:
      throw badRequest(`unknown JSON patch operation ${JSON.stringify(op)}`);
  }
};

/** The value with the parent of the path's last part changed; everything above is copied, nothing is altered. */
const edit = (value: unknown, path: readonly string[], change: (parent: unknown, key: string) => unknown): unknown => {
  const [head, ...rest] = path;
  if (head === undefined) throw badRequest('a JSON patch cannot change the whole object');
  if (rest.length === 0) return change(value, head);
  const child = edit(find(value, [head]), rest, change);
  return Array.isArray(value) ? value.with(Number(head), child) : withField(value, head, child);
};

const find = (root: unknown, path: readonly string[]): unknown => {
  let value = root;
  for (const part of path) {
    if (Array.isArray(value) && /^(0|[1-9]\d*)$/.test(part) && Number(part) < value.length) value = value[Number(part)];
    else if (isRecord(value) && Object.hasOwn(value, part)) value = value[part];
    else throw refused();
  }
  return value;
};

const insert = (parent: unknown, key: string, value: unknown): unknown => {
  if (!Array.isArray(parent)) return withField(parent, key, value);
  const at = key === '-' ? parent.length : Number(key);
  if (!/^(-|0|[1-9]\d*)$/.test(key) || at > parent.length) throw refused();
  return parent.toSpliced(at, 0, value);
};

const take = (parent: unknown, key: string): unknown => {
  find(parent, [key]);
  if (Array.isArray(parent)) return parent.toSpliced(Number(key), 1);
  const { [key]: _taken, ...rest } = isRecord(parent) ? parent : {};
  return rest;
};

const withField = (parent: unknown, key: string, value: unknown): unknown => {
  if (!isRecord(parent)) throw refused();
  const copy: Record<string, unknown> = { ...parent };
  setOwn(copy, key, value);
  return copy;
};

/** A real API server does not say which operation failed, and clients compare the text. */
const refused = (): ApiRefusal =>
  new ApiRefusal('Invalid', 'the server rejected our request due to an error in our request', {});
