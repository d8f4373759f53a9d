/** Private networks of servers: the option that must be on, attaching and detaching, each of which takes its time. */
import type { ServerRef } from '../../scaleway/port/cloud.ts';
import { type CloudCore, cancelWork, change, known, startWork, vpcKey } from './cloud-core.ts';
import { alreadyExists, forbiddenChange, notFound } from './refusals.ts';
import type { Attachment, SimServer } from './sim-server.ts';

const PER_SERVER_MAX = 8;
const VLAN_FIRST = 2_000;
const VLANS = 2_000;

/** Switched off, it takes all networks from the server. */
export const switchVpc = (core: CloudCore, { id, vpc }: SimServer, to: 'vpc_enabled' | 'vpc_disabled'): SimServer => {
  if (vpc === to) return known(core, id);
  if (to === 'vpc_disabled') for (const { id: attachmentId } of attachmentsOf(core, id)) remove(core, attachmentId);
  cancelWork(core, vpcKey(id));
  finishVpc(core, id, to);
  return change(core, id, { vpc: 'vpc_updating' });
};

export const attachmentsOf = ({ state }: CloudCore, serverId: string): readonly Attachment[] =>
  [...state.attachments.values()].filter((attachment) => attachment.serverId === serverId);

export const findAttachment = (core: CloudCore, { id }: ServerRef, networkId: string): Attachment => {
  const found = attachmentsOf(core, id).find((attachment) => attachment.networkId === networkId);
  if (found === undefined) throw notFound('server_private_network', networkId);
  return found;
};

export interface AttachRequest {
  readonly networkId: string;
  /** Empty: the API books some. */
  readonly ipIds: readonly string[];
}

export const attach = (core: CloudCore, { id, vpc }: SimServer, { networkId, ipIds }: AttachRequest): Attachment => {
  const present = attachmentsOf(core, id);
  if (vpc !== 'vpc_enabled') throw forbiddenChange('private networks are not enabled for this server');
  if (present.some((attachment) => attachment.networkId === networkId)) {
    throw alreadyExists('server_private_network', networkId);
  }
  if (present.length >= PER_SERVER_MAX)
    throw forbiddenChange(`a server has at most ${PER_SERVER_MAX} private networks`);
  const nowMs = core.clock.now();
  const attachment: Attachment = {
    id: core.ids.uuid(),
    serverId: id,
    networkId,
    ipIds: ipIds.length > 0 ? ipIds : [core.ids.uuid(), core.ids.uuid()],
    status: 'attaching',
    vlan: VLAN_FIRST + core.random.integer(VLANS),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  core.state.attachments.set(attachment.id, attachment);
  finishAttaching(core, attachment.id);
  return attachment;
};

/** Its addresses go at once, the row a little later. */
export const detach = (core: CloudCore, { id }: Attachment): void => {
  cancelWork(core, id);
  update(core, id, { status: 'detaching', ipIds: [] });
  finishDetaching(core, id);
};

/** Exactly these from now on. */
export const replaceAttachments = (
  core: CloudCore,
  server: SimServer,
  wanted: readonly AttachRequest[],
): readonly Attachment[] => {
  const present = attachmentsOf(core, server.id).filter(({ status }) => status !== 'detaching');
  for (const attachment of present) {
    if (!wanted.some(({ networkId }) => networkId === attachment.networkId)) detach(core, attachment);
  }
  for (const request of wanted) {
    if (!present.some(({ networkId }) => networkId === request.networkId)) attach(core, server, request);
  }
  return attachmentsOf(core, server.id);
};

/** Goes on with what was under way when the process of an earlier simulation ended. */
export const resumeNetworks = (core: CloudCore): void => {
  for (const { id, vpc } of core.state.servers.values()) {
    if (vpc === 'vpc_updating') finishVpc(core, id, 'vpc_enabled');
  }
  for (const { id, status } of core.state.attachments.values()) {
    if (status === 'attaching') finishAttaching(core, id);
    if (status === 'detaching') finishDetaching(core, id);
  }
};

const finishVpc = (core: CloudCore, id: string, to: 'vpc_enabled' | 'vpc_disabled'): void =>
  startWork(core, vpcKey(id), { takes: 'vpcMs', finish: () => void change(core, id, { vpc: to }) });

const finishAttaching = (core: CloudCore, id: string): void =>
  startWork(core, id, { takes: 'attachMs', finish: () => update(core, id, { status: 'attached' }) });

const finishDetaching = (core: CloudCore, id: string): void =>
  startWork(core, id, { takes: 'detachMs', finish: () => remove(core, id) });

const update = ({ state, clock }: CloudCore, id: string, fields: Partial<Attachment>): void => {
  const attachment = state.attachments.get(id);
  if (attachment !== undefined) state.attachments.set(id, { ...attachment, ...fields, updatedAtMs: clock.now() });
};

const remove = (core: CloudCore, id: string): void => {
  cancelWork(core, id);
  core.state.attachments.delete(id);
};
