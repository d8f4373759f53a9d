/** The paths of the simulated API that are about private networks. */
import { isRecord } from '../../base/json.ts';
import {
  type AttachRequest,
  attach,
  attachmentsOf,
  detach,
  findAttachment,
  replaceAttachments,
} from './private-networks.ts';
import { invalidArgument } from './refusals.ts';
import { APPLE_SILICON, page, type Route, type RouteCall, refOf, text } from './route.ts';
import { renderAttachment } from './wire.ts';

const NETWORKS = `${APPLE_SILICON}/servers/{id}/private-networks`;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const list = (call: RouteCall): object => {
  const { core, query, params } = call;
  const [serverId, networkId] = [query.get('server_id'), query.get('private_network_id')];
  const zoned = [...core.state.servers.values()].filter(({ zone }) => zone === params['zone']);
  const rows = zoned
    .flatMap(({ id }) => attachmentsOf(core, id))
    .filter((row) => serverId === null || row.serverId === serverId)
    .filter((row) => networkId === null || row.networkId === networkId);
  return page(call, rows, { member: 'server_private_networks', render: (row) => renderAttachment(core, row) });
};

const add = (call: RouteCall): object => {
  const { core, verbs, body } = call;
  const networkId = text(body['private_network_id'], 'private_network_id');
  const wanted = { networkId, ipIds: textsOf(body['ipam_ip_ids']) };
  return renderAttachment(
    core,
    verbs.changeNetworks(refOf(call), networkId, (server) => attach(core, server, wanted)),
  );
};

const replace = (call: RouteCall): object => {
  const { core, verbs, body } = call;
  const networks = body['per_private_network_ipam_ip_ids'];
  if (!isRecord(networks)) throw invalidArgument('per_private_network_ipam_ip_ids', 'is required');
  const wanted: readonly AttachRequest[] = Object.entries(networks).map(([networkId, ipIds]) => ({
    networkId,
    ipIds: textsOf(ipIds),
  }));
  const names = wanted.map(({ networkId }) => networkId).join(', ');
  const rows = verbs.changeNetworks(refOf(call), names, (server) => replaceAttachments(core, server, wanted));
  return { server_private_networks: rows.map((row) => renderAttachment(core, row)) };
};

export const NETWORK_ROUTES: readonly Route[] = [
  { method: 'GET', path: `${APPLE_SILICON}/server-private-networks`, verb: 'private-networks', handle: list },
  { method: 'POST', path: NETWORKS, verb: 'private-network', handle: add },
  { method: 'PUT', path: NETWORKS, verb: 'private-network', handle: replace },
  {
    ...{ method: 'GET', path: `${NETWORKS}/{network}`, verb: 'private-networks' },
    handle: (call) => {
      const ref = refOf(call);
      call.verbs.get(ref);
      return renderAttachment(call.core, findAttachment(call.core, ref, call.params['network'] ?? ''));
    },
  },
  {
    ...{ method: 'DELETE', path: `${NETWORKS}/{network}`, verb: 'private-network' },
    handle: (call) => {
      const [ref, network] = [refOf(call), call.params['network'] ?? ''];
      call.verbs.changeNetworks(ref, network, () => detach(call.core, findAttachment(call.core, ref, network)));
      return undefined;
    },
  },
];
