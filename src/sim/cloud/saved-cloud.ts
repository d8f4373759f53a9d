/** A simulated project as data that outlives its process. Its passwords are as simulated as the rest. */
import { z } from 'zod';
import { Secret } from '../../base/secret.ts';
import { SERVER_STATUSES } from '../../scaleway/port/cloud.ts';
import type { SimServer } from './sim-server.ts';

const SAVED_SERVER = z.strictObject({
  id: z.uuid(),
  zone: z.string().min(1),
  projectId: z.uuid(),
  name: z.string().min(1),
  type: z.string().min(1),
  status: z.enum(SERVER_STATUSES),
  osId: z.uuid(),
  osFamily: z.string(),
  isDelivered: z.boolean(),
  address: z.string(),
  sshUser: z.string(),
  password: z.string(),
  isSealed: z.boolean().default(false),
  sealedUntilMs: z.number().default(0),
  authorizedKeys: z.array(z.string()).default([]),
  wipes: z.int().min(0),
  fakedWipes: z.int().min(0).default(0),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
  deletableAtMs: z.number(),
  isDeletionScheduled: z.boolean(),
  commitment: z.enum(['duration_24h', 'renewed_monthly']),
  vpc: z.enum(['vpc_disabled', 'vpc_updating', 'vpc_enabled']).default('vpc_disabled'),
});

const SAVED_ATTACHMENT = z.strictObject({
  id: z.uuid(),
  serverId: z.uuid(),
  networkId: z.string(),
  ipIds: z.array(z.string()),
  status: z.enum(['attaching', 'attached', 'detaching']),
  vlan: z.int(),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
});

const SAVED_SSH_KEY = z.strictObject({ id: z.uuid(), name: z.string(), publicKey: z.string() });

export const SAVED_CLOUD = z.strictObject({
  servers: z.array(SAVED_SERVER),
  /** Ids that the API denies. */
  deleted: z.array(z.uuid()).default([]),
  sshKeys: z.array(SAVED_SSH_KEY).default([]),
  attachments: z.array(SAVED_ATTACHMENT).default([]),
  /** For servers that are gone. */
  chargedEuros: z.number().min(0).optional(),
});

export type SavedServer = z.infer<typeof SAVED_SERVER>;
export type SavedCloud = z.infer<typeof SAVED_CLOUD>;

export const saveServer = ({ password, authorizedKeys, ...server }: SimServer): SavedServer => ({
  ...server,
  password: password.reveal(),
  authorizedKeys: [...authorizedKeys],
});

export const restoreServer = ({ password, ...server }: SavedServer): SimServer => ({
  ...server,
  password: new Secret(password),
});
