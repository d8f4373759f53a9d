/**
 * Puts the fleet's key on record at Scaleway, so that every Mac it installs lets us in (001-4). Converges when several
 * managers do it at once: whoever comes last finds the key there. The name says which cluster's it is: fleets of one name in
 * clusters that share a project each keep their own.
 */
import { isKind } from '../base/errors.ts';
import type { SshKey, SshKeys } from './port/cloud.ts';

export interface FleetKey {
  readonly fleet: string;
  readonly clusterId: string;
  readonly publicKey: string;
}

/**
 * Returns the id of the one key with these bytes, under the fleet's name in this cluster or under the bare name that the Go
 * original gives. Another key of this cluster and fleet is obsolete, and deleted; of a bare name nobody knows whose it is.
 */
export const registerSshKey = async (keys: SshKeys, wanted: FleetKey, signal: AbortSignal): Promise<string> => {
  const { fleet, publicKey } = wanted;
  const name = `${fleet}-${wanted.clusterId}`;
  const found = await keys.listSshKeys(fleet, signal);
  const own = found.filter((key) => key.name === name);
  const [kept, ...doubles] = own.filter((key) => isSameKey(key, wanted)).toSorted(byId);
  const original = found.filter((key) => key.name === fleet && isSameKey(key, wanted)).toSorted(byId)[0];
  const obsolete = [...own.filter((key) => !isSameKey(key, wanted)), ...doubles];
  for (const { id } of obsolete) await deleteIfThere(keys, id, signal);
  const there = original ?? kept;
  if (there !== undefined) return there.id;
  try {
    return (await keys.addSshKey({ name, publicKey }, signal)).id;
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
    // Under whatever name: Scaleway puts it on Macs all the same.
    const same = (await keys.listSshKeys('', signal)).find((key) => isSameKey(key, wanted));
    if (same === undefined) throw error;
    return same.id;
  }
};

/** Of two that were added at once everybody keeps the same one. */
const byId = (left: SshKey, right: SshKey): number => (left.id < right.id ? -1 : 1);

/** Algorithm and base64; the comment says nothing. */
const isSameKey = (left: Pick<SshKey, 'publicKey'>, right: Pick<SshKey, 'publicKey'>): boolean =>
  keyPart(left.publicKey) === keyPart(right.publicKey);

const keyPart = (publicKey: string): string => publicKey.trim().split(/\s+/).slice(0, 2).join(' ');

const deleteIfThere = async (keys: SshKeys, id: string, signal: AbortSignal): Promise<void> => {
  try {
    await keys.deleteSshKey(id, signal);
  } catch (error) {
    if (!isKind(error, 'not-found')) throw error;
  }
};
