/** The verbs of the simulated API: each takes effect at once and returns what is true then, or throws the refusal. */
import { FleetError } from '../../base/errors.ts';
import type { ServerRef, SshKey } from '../../scaleway/port/cloud.ts';
import type { AuditEntry, Caller, WriteVerb } from './call-log.ts';
import { type CloudCore, change } from './cloud-core.ts';
import { scheduleDeletion, terminate } from './deletions.ts';
import { startReboot, startReinstall } from './installs.ts';
import { assertName, commit, type Order, placeOrders } from './orders.ts';
import { switchVpc } from './private-networks.ts';
import { notFound, permissionsDenied } from './refusals.ts';
import type { Commitment, SimServer } from './sim-server.ts';

export interface CloudVerbs {
  /** As lists show them, with their lag. */
  list(zone: string): readonly SimServer[];
  get(server: ServerRef): SimServer;
  rename(server: ServerRef, name: string): SimServer;
  reinstall(server: ServerRef, osId?: string): SimServer;
  reboot(server: ServerRef): SimServer;
  /** All or none. */
  order(zone: string, orders: readonly Order[]): readonly SimServer[];
  terminate(server: ServerRef): void;
  scheduleDeletion(server: ServerRef, plan: 'delete' | 'keep'): SimServer;
  commit(server: ServerRef, to: Commitment): SimServer;
  switchVpc(server: ServerRef, to: 'vpc_enabled' | 'vpc_disabled'): SimServer;
  /** Audited as one write about these networks. */
  changeNetworks<T>(server: ServerRef, networks: string, act: (server: SimServer) => T): T;
  addSshKey(key: Omit<SshKey, 'id'>): SshKey;
  deleteSshKey(id: string): void;
}

export const createVerbs = (core: CloudCore, caller: Caller): CloudVerbs => {
  const { state } = core;
  const audited = createAudit(core, caller);
  const write = <T>(ref: ServerRef, call: WriteCall, act: (server: SimServer) => T): T =>
    audited({ ...call, serverId: ref.id }, () => act(find(core, ref)));
  return {
    list: (zone) => listRows(core).filter((server) => server.zone === zone),
    get: (ref) => find(core, ref),
    rename: (ref, name) =>
      write(ref, { verb: 'rename', argument: name }, ({ id }) => change(core, id, { name: assertName(name) })),
    reinstall: (ref, osId) =>
      write(ref, { verb: 'reinstall', argument: osId ?? 'default' }, (server) => startReinstall(core, server, osId)),
    reboot: (ref) => write(ref, { verb: 'reboot', argument: '' }, (server) => startReboot(core, server)),
    order: (zone, orders) => {
      const names = orders.map(({ name }) => name).join(', ');
      return audited(
        { verb: 'order', serverId: '', argument: names },
        () => placeOrders(core, zone, orders),
        (made) => made,
      );
    },
    terminate: (ref) => write(ref, { verb: 'terminate', argument: '' }, (server) => terminate(core, server)),
    scheduleDeletion: (ref, plan) =>
      write(ref, { verb: 'schedule', argument: plan }, (server) => scheduleDeletion(core, server, plan)),
    commit: (ref, to) => write(ref, { verb: 'commit', argument: to }, (server) => commit(core, server, to)),
    switchVpc: (ref, to) => write(ref, { verb: 'vpc', argument: to }, (server) => switchVpc(core, server, to)),
    changeNetworks: (ref, networks, act) => write(ref, { verb: 'private-network', argument: networks }, act),
    addSshKey: (key) =>
      audited({ verb: 'ssh-key', serverId: '', argument: key.name }, () => {
        const added = { id: core.ids.uuid(), ...key };
        state.sshKeys.set(added.id, added);
        core.onChange?.();
        return added;
      }),
    deleteSshKey: (id) =>
      audited({ verb: 'ssh-key', serverId: '', argument: id }, () => {
        if (!state.sshKeys.delete(id)) throw notFound('ssh_key', id);
        core.onChange?.();
      }),
  };
};

interface WriteCall {
  readonly verb: WriteVerb;
  readonly argument: string;
}

/** Every write that reaches the API stands in the audit, also a refused one. An order stands there once per server that it made. */
const createAudit =
  (core: CloudCore, caller: Caller) =>
  <T>(
    call: Pick<AuditEntry, 'verb' | 'serverId' | 'argument'>,
    act: () => T,
    madeBy?: (result: T) => readonly SimServer[],
  ): T => {
    const { state, clock } = core;
    const entry = { atMs: clock.now(), ...caller, ...call, before: state.servers.get(call.serverId) };
    const note = (outcome: string, made?: SimServer): void => {
      state.calls += 1;
      const after = made ?? state.servers.get(call.serverId);
      const about = made === undefined ? {} : { serverId: made.id, argument: made.name };
      const noted = { number: state.calls, ...entry, ...about, after, outcome };
      state.audit.push(noted);
      core.onWrite?.(noted);
    };
    try {
      const result = act();
      if (madeBy === undefined) note('accepted');
      else for (const server of madeBy(result)) note('accepted', server);
      return result;
    } catch (error) {
      if (error instanceof FleetError) note(error.code);
      throw error;
    }
  };

const find = ({ state }: CloudCore, { id, zone }: ServerRef): SimServer => {
  if (state.deleted.has(id)) throw permissionsDenied();
  const server = state.servers.get(id);
  if (server === undefined || server.zone !== zone) throw notFound('server', id);
  return server;
};

/** Truth, but for rows whose change is younger than the lag. */
const listRows = ({ state, clock }: CloudCore): readonly SimServer[] => {
  const rows = new Map(state.servers);
  for (const [id, { server, untilMs }] of state.staleRows) {
    if (untilMs <= clock.now()) state.staleRows.delete(id);
    else if (server === undefined) rows.delete(id);
    else rows.set(id, server);
  }
  return [...rows.values()].toSorted((left, right) => left.createdAtMs - right.createdAtMs);
};
