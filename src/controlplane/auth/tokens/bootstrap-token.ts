/**
 * Bootstrap tokens, `<id>.<secret>`: what a new Mac shows until it has a certificate. Each is a Secret
 * `bootstrap-token-<id>` in kube-system that says until when, what for, and as member of which groups.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { parseTimestamp } from '../../../base/clock.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import { keyFor, type Store } from '../../store/store.ts';
import type { User } from '../user.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const SECRET_TYPE = 'bootstrap.kubernetes.io/token';
const BASIC_GROUP = 'system:bootstrappers';
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Undefined when it is no such token, or not good for logging in. */
export const readBootstrapToken = (
  token: string,
  { store, nowMs }: { store: Store; nowMs: number },
): User | undefined => {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const found = store.get('/secrets', keyFor('kube-system', `bootstrap-token-${id}`))?.object;
  if (found?.['type'] !== SECRET_TYPE || found.metadata.deletionTimestamp !== undefined) return undefined;
  const data = fieldsOf(found['data']);
  const isRight = isSameText(textOf(data, 'token-secret'), secret) && textOf(data, 'token-id') === id;
  if (!isRight || isExpired(textOf(data, 'expiration'), nowMs)) return undefined;
  if (textOf(data, 'usage-bootstrap-authentication') !== 'true') return undefined;
  const groups = readGroups(textOf(data, 'auth-extra-groups'));
  return groups === undefined ? undefined : { name: `system:bootstrap:${id}`, groups };
};

const textOf = (data: Fields, key: string): string => {
  const value = data[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
};

/** A time that cannot be read is past. */
const isExpired = (text: string, nowMs: number): boolean => {
  if (text === '') return false;
  const atMs = parseTimestamp(text);
  return atMs === undefined || nowMs >= atMs;
};

const readGroups = (text: string): readonly string[] | undefined => {
  const extra = text === '' ? [] : text.split(',');
  return extra.every((group) => GROUP.test(group)) ? [...new Set([BASIC_GROUP, ...extra])].sort() : undefined;
};

/** Takes the same time wherever the texts differ. */
const isSameText = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
