/** Servers as the SDK hands them out, taken with distrust: what is missing or strange is a contract error, not a guess. */
import type { Applesiliconv1alpha1 } from '@scaleway/sdk-applesilicon';
import { FleetError } from '../../base/errors.ts';
import { osFamilyKey } from '../../macos/os-family-key.ts';
import { readPassword } from '../password.ts';
import {
  type CloudServer,
  SERVER_STATUSES,
  type ServerAccess,
  type ServerRef,
  type ServerStatus,
} from '../port/cloud.ts';

type SdkServer = Applesiliconv1alpha1.Server;

/** In small letters, as Scaleway writes them: an id becomes the name of a record, where capitals are refused. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isUuid = (text: unknown): text is string => typeof text === 'string' && UUID.test(text);

/**
 * Only the id must be proper, since it names the record of a Mac; undefined without one. Everything else reads as empty when
 * it is missing or longer than a record takes, which fits no pool, no type and no project, so such a server is seen and never touched.
 */
export const parseServer = (server: Partial<SdkServer>, zone: string): CloudServer | undefined => {
  if (!isUuid(server.id)) return undefined;
  return {
    id: server.id,
    zone,
    projectId: shortText(server.projectId),
    name: plainText(server.name),
    type: shortText(server.type),
    status: parseStatus(server.status),
    osFamily: readFamily(server.os),
    isDelivered: server.delivered === true,
    address: shortText(server.ip),
    sshUser: shortText(server.sshUsername),
    deletableAtMs: parseTime(server.deletableAt),
    isDeletionScheduled: server.deletionScheduled === true,
  };
};

/** Scaleway documents a number for the family and answers with its name. Where it keeps to its word, the name of the image tells (T-55). */
const readFamily = (os: Partial<NonNullable<SdkServer['os']>> | undefined): string => {
  const family = shortText(os?.family);
  return /\p{L}/u.test(family) ? family : osFamilyKey(shortText(os?.name));
};

/** The answer about one server, which must be that one. */
export const parseOneServer = (server: Partial<SdkServer>, { zone, id }: ServerRef): CloudServer => {
  const parsed = parseServer(server, zone);
  if (parsed?.id === id) return parsed;
  throw new FleetError('contract', {
    code: 'WrongServer',
    message: `asked about server ${id}, Scaleway answered about ${parsed?.id ?? 'one without a proper id'}`,
    hint: 'Report this; nothing is done with it.',
  });
};

export const parseAccess = (server: Partial<SdkServer>, ref: ServerRef, askedAtMs: number): ServerAccess => ({
  ...parseOneServer(server, ref),
  askedAtMs,
  sudoPassword: readPassword({ sudoPassword: textOf(server.sudoPassword), vncUrl: textOf(server.vncUrl) }),
});

const parseStatus = (status: unknown): ServerStatus =>
  SERVER_STATUSES.find((known) => known === status) ?? 'unknown_status';

const parseTime = (date: Date | undefined): number | undefined => {
  const atMs = date instanceof Date ? date.getTime() : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
};

/** The longest text that a record of a Mac takes. */
const TEXT_LENGTH_MAX = 253;

const shortText = (value: unknown): string => {
  const text = textOf(value);
  return text.length > TEXT_LENGTH_MAX ? '' : text;
};

/** Printable, and nothing that a shell or a manifest would take for more than a letter. */
const PLAIN = /^[ !#%&()*+,\-./0-9:;<=>?@A-Z[\]^_a-z{|}~]*$/;

/** A name that is not plain reads as none: its server fits no pool, so nobody claims it. */
const plainText = (value: unknown): string => {
  const text = shortText(value);
  return PLAIN.test(text) ? text : '';
};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
