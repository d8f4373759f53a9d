/** Images, types and keys as the SDK hands them out, taken with distrust: a row without what names it is left out. */
import type { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import type { Iamv1alpha1 } from '@scaleway/sdk-iam';
import { type ServerType, type SshKey, STOCKS } from '../port/cloud.ts';
import type { OsImage } from '../port/os-family.ts';
import { unreadableAnswer } from '../wire-errors.ts';
import { isUuid, textOf } from './parse-server.ts';

export const parseImage = (image: Partial<Applesiliconv1alpha1.OS>): OsImage | undefined => {
  if (!isUuid(image.id)) return undefined;
  return {
    id: image.id,
    name: textOf(image.name),
    family: textOf(image.family),
    version: textOf(image.version),
    isBeta: image.isBeta !== false,
  };
};

export const parseServerType = (type: Partial<Applesiliconv1alpha1.ServerType>): ServerType | undefined => {
  const name = textOf(type.name);
  if (name === '') return undefined;
  return { name, stock: parseStock(type.stock), minimumLeaseMs: parseSeconds(type.minimumLeaseDuration) * 1_000 };
};

const parseStock = (stock: unknown): ServerType['stock'] => STOCKS.find((known) => known === stock) ?? 'unknown_stock';

const DAY_SECONDS = 86_400;

/** `86400s`. What cannot be read is taken for a day, which is what Scaleway's licence from Apple demands. */
const parseSeconds = (text: unknown): number => {
  const seconds = Number.parseFloat(textOf(text));
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : DAY_SECONDS;
};

export const parseSshKey = (key: Partial<Iamv1alpha1.SSHKey>): SshKey | undefined => {
  if (!isUuid(key.id)) return undefined;
  return { id: key.id, name: textOf(key.name), publicKey: textOf(key.publicKey) };
};

export const parseAddedKey = (key: Partial<Iamv1alpha1.SSHKey>): SshKey => {
  const parsed = parseSshKey(key);
  if (parsed !== undefined) return parsed;
  throw unreadableAnswer({ doing: 'adding an SSH key', why: 'the answer has no proper id' });
};
