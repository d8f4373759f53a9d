/** The paths of the simulated API, as data: which verb each is, and how it reads its arguments and shows its result. */
import { toMicroTimestamp } from '../../base/clock.ts';
import { isRecord } from '../../base/json.ts';
import { NETWORK_ROUTES } from './network-routes.ts';
import { assertOffered, RUNNER_ROUTES } from './not-offered.ts';
import { ORDER_ROUTES, toCommitment } from './order-routes.ts';
import { notFound } from './refusals.ts';
import { APPLE_SILICON, optionalText, page, type Route, type RouteCall, refOf, text } from './route.ts';
import { isTransient, type SimServer } from './sim-server.ts';
import { renderImage, renderListedImage, renderServer, renderSshKey, renderType } from './wire.ts';

const KEYS = '/iam/v1alpha1/ssh-keys';

const sealed = ({ core }: RouteCall, server: SimServer) => renderServer(core, server, 'sealed');

const updateServer = (call: RouteCall): object => {
  const { verbs, body } = call;
  const ref = refOf(call);
  let server = verbs.get(ref);
  assertOffered(call);
  if (body['name'] !== undefined) server = verbs.rename(ref, text(body['name'], 'name'));
  if (typeof body['schedule_deletion'] === 'boolean') {
    server = verbs.scheduleDeletion(ref, body['schedule_deletion'] ? 'delete' : 'keep');
  }
  if (typeof body['enable_vpc'] === 'boolean') {
    server = verbs.switchVpc(ref, body['enable_vpc'] ? 'vpc_enabled' : 'vpc_disabled');
  }
  if (isRecord(body['commitment_type'])) {
    server = verbs.commit(ref, toCommitment(body['commitment_type']['commitment_type']));
  }
  return sealed(call, server);
};

const startDiagnostic = ({ core, verbs, params, body }: RouteCall): object => {
  const server = verbs.get({ zone: params['zone'] ?? '', id: text(body['server_id'], 'server_id') });
  const id = core.ids.uuid();
  const [, longestMs] = core.times.diagnosisMs;
  const readyAtMs = core.clock.now() + longestMs * core.timeScale;
  core.state.diagnostics.set(id, { serverId: server.id, readyAtMs });
  return { diagnostic_id: id };
};

const readDiagnostic = ({ core, params }: RouteCall): object => {
  const id = params['id'] ?? '';
  const asked = core.state.diagnostics.get(id);
  if (asked === undefined) throw notFound('connectivity_diagnostic', id);
  const base = { id, error_message: '', is_healthy: false, supported_actions: [] };
  if (core.clock.now() < asked.readyAtMs) return { ...base, status: 'processing' };
  const server = core.state.servers.get(asked.serverId);
  const isReady = server !== undefined && !isTransient(server) && server.status === 'ready';
  const { isAlive, isSshUp } = core.healthOf?.(asked.serverId) ?? { isAlive: isReady, isSshUp: isReady };
  return {
    ...base,
    status: 'completed',
    is_healthy: isAlive && isSshUp,
    health_details: {
      last_checkin_date: toMicroTimestamp(asked.readyAtMs),
      is_server_alive: isAlive,
      is_agent_alive: isAlive,
      is_mdm_alive: isAlive,
      is_ssh_port_up: isSshUp,
      is_vnc_port_up: isSshUp,
    },
    supported_actions: isAlive && isSshUp ? [] : ['reboot_server', 'reinstall_server'],
  };
};

const listImages = (call: RouteCall): object => {
  const { core, query } = call;
  const [type, prefix] = [query.get('server_type'), query.get('name') ?? ''];
  const fitting = core.catalogue.images.filter(
    ({ types, name }) => (type === null || types.includes(type)) && name.startsWith(prefix),
  );
  return page(call, fitting, { member: 'os', render: renderListedImage });
};

const listServers = (call: RouteCall): object => {
  const { verbs, params, query } = call;
  const project = query.get('project_id');
  const rows = verbs.list(params['zone'] ?? '').filter(({ projectId }) => project === null || projectId === project);
  const ordered = query.get('order_by') === 'created_at_desc' ? rows.toReversed() : rows;
  return page(call, ordered, { member: 'servers', render: (server) => sealed(call, server) });
};

const listSshKeys = (call: RouteCall): object => {
  const { core, query } = call;
  const name = query.get('name') ?? '';
  const keys = [...core.state.sshKeys.values()].filter((key) => key.name.includes(name));
  return page(call, keys, { member: 'ssh_keys', render: (key) => renderSshKey(core, key) });
};

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: `${APPLE_SILICON}/servers`, verb: 'list', handle: listServers },
  ...ORDER_ROUTES,
  {
    ...{ method: 'GET', path: `${APPLE_SILICON}/servers/{id}`, verb: 'get' },
    handle: (call) => renderServer(call.core, call.verbs.get(refOf(call)), 'open'),
  },
  { method: 'PATCH', path: `${APPLE_SILICON}/servers/{id}`, verb: 'rename', handle: updateServer },
  {
    ...{ method: 'DELETE', path: `${APPLE_SILICON}/servers/{id}`, verb: 'terminate' },
    handle: (call) => {
      call.verbs.terminate(refOf(call));
      return undefined;
    },
  },
  {
    ...{ method: 'POST', path: `${APPLE_SILICON}/servers/{id}/reboot`, verb: 'reboot' },
    handle: (call) => sealed(call, call.verbs.reboot(refOf(call))),
  },
  {
    ...{ method: 'POST', path: `${APPLE_SILICON}/servers/{id}/reinstall`, verb: 'reinstall' },
    handle: (call) => {
      assertOffered(call);
      return sealed(call, call.verbs.reinstall(refOf(call), optionalText(call.body['os_id'])));
    },
  },
  { method: 'GET', path: `${APPLE_SILICON}/os`, verb: 'images', handle: listImages },
  {
    ...{ method: 'GET', path: `${APPLE_SILICON}/os/{id}`, verb: 'images' },
    handle: ({ core, params }) => {
      const image = core.catalogue.images.find(({ id }) => id === params['id']);
      if (image === undefined) throw notFound('os', params['id'] ?? '');
      return renderImage(image);
    },
  },
  {
    ...{ method: 'GET', path: `${APPLE_SILICON}/server-types`, verb: 'types' },
    handle: ({ core, params }) => ({
      server_types: core.catalogue.types
        .filter(({ zone }) => zone === params['zone'])
        .map((type) => renderType(core.catalogue, type, core.times.leaseMs[0])),
    }),
  },
  {
    ...{ method: 'GET', path: `${APPLE_SILICON}/server-type/{id}`, verb: 'types' },
    handle: ({ core, params }) => {
      const type = core.catalogue.types.find(({ name }) => name === params['id']);
      if (type === undefined) throw notFound('server_type', params['id'] ?? '');
      return renderType(core.catalogue, type, core.times.leaseMs[0]);
    },
  },
  { method: 'POST', path: `${APPLE_SILICON}/connectivity-diagnostics`, verb: 'diagnose', handle: startDiagnostic },
  { method: 'GET', path: `${APPLE_SILICON}/connectivity-diagnostics/{id}`, verb: 'diagnose', handle: readDiagnostic },
  ...NETWORK_ROUTES,
  ...RUNNER_ROUTES,
  { method: 'GET', path: KEYS, verb: 'ssh-keys', handle: listSshKeys },
  {
    ...{ method: 'POST', path: KEYS, verb: 'ssh-key' },
    handle: ({ core, verbs, body }) => {
      const key = { name: text(body['name'], 'name'), publicKey: text(body['public_key'], 'public_key') };
      return renderSshKey(core, verbs.addSshKey(key));
    },
  },
  {
    ...{ method: 'DELETE', path: `${KEYS}/{id}`, verb: 'ssh-key' },
    handle: ({ verbs, params }) => {
      verbs.deleteSshKey(params['id'] ?? '');
      return undefined;
    },
  },
];
