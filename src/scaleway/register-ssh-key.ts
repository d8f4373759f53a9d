/**
 * Puts the fleet's key on record at Scaleway, so that every Mac it installs lets us in (001-4). Converges when several
 * managers do it at once: whoever comes last finds the key there.
 */
import { isKind } from '../base/errors.ts';
import type { SshKey, SshKeys } from './port/cloud.ts';

/** Returns the id of the one key of that name, which is this key. A key of that name with other bytes is replaced: it would lock us out. */
export const registerSshKey = async (
  keys: SshKeys,
  wanted: Omit<SshKey, 'id'>,
  signal: AbortSignal,
): Promise<string> => {
  const sameName = (await keys.listSshKeys(wanted.name, signal)).filter(({ name }) => name === wanted.name);
  const [kept, ...doubles] = sameName.filter((key) => isSameKey(key, wanted)).toSorted(byId);
  const obsolete = [...sameName.filter((key) => !isSameKey(key, wanted)), ...doubles];
  for (const { id } of obsolete) await deleteIfThere(keys, id, signal);
  if (kept !== undefined) return kept.id;
  try {
    return (await keys.addSshKey(wanted, signal)).id;
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
    const there = (await keys.listSshKeys(wanted.name, signal)).find((key) => isSameKey(key, wanted));
    if (there === undefined) throw error;
    return there.id;
  }
};

/** Of two that were added at once everybody keeps the same one. */
const byId = (left: SshKey, right: SshKey): number => (left.id < right.id ? -1 : 1);

/** Algorithm and base64; the comment says nothing. */
const isSameKey = (left: Omit<SshKey, 'id'>, right: Omit<SshKey, 'id'>): boolean =>
  keyPart(left.publicKey) === keyPart(right.publicKey);

const keyPart = (publicKey: string): string => publicKey.trim().split(/\s+/).slice(0, 2).join(' ');

const deleteIfThere = async (keys: SshKeys, id: string, signal: AbortSignal): Promise<void> => {
  try {
    await keys.deleteSshKey(id, signal);
  } catch (error) {
    if (!isKind(error, 'not-found')) throw error;
  }
};
