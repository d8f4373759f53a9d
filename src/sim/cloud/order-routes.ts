/** The paths of the simulated API that order servers, and how an order is read. */
import { isRecord } from '../../base/json.ts';
import { assertOffered } from './not-offered.ts';
import type { Order } from './orders.ts';
import { invalidArgument, permissionsDenied } from './refusals.ts';
import { APPLE_SILICON, optionalText, type Route, type RouteCall, text } from './route.ts';
import type { Commitment } from './sim-server.ts';
import { renderServer } from './wire.ts';

const COMMITMENTS: Readonly<Record<string, Commitment>> = {
  duration_24h: 'duration_24h',
  none: 'duration_24h',
  renewed_monthly: 'renewed_monthly',
  unknown_commitment_type: 'duration_24h',
};

export const toCommitment = (value: unknown): Commitment => {
  const known = Object.hasOwn(COMMITMENTS, String(value)) ? COMMITMENTS[String(value)] : undefined;
  if (known === undefined) throw invalidArgument('commitment_type', 'is no commitment that there is');
  return known;
};

const toOrder = (call: RouteCall, name: unknown): Order => {
  const { core, body } = call;
  assertOffered(call);
  const projectId = optionalText(body['project_id']) ?? core.projectId;
  if (projectId !== core.projectId) throw permissionsDenied('project');
  return {
    name: text(name, 'name'),
    type: text(body['type'], 'type'),
    osId: optionalText(body['os_id']),
    commitment: toCommitment(body['commitment_type'] ?? 'duration_24h'),
    vpc: body['enable_vpc'] === true ? 'vpc_enabled' : 'vpc_disabled',
  };
};

const orderOne = (call: RouteCall): object => {
  const { core, verbs, params, body } = call;
  const [server] = verbs.order(params['zone'] ?? '', [toOrder(call, body['name'])]);
  if (server === undefined) throw invalidArgument('name', 'is required');
  return renderServer(core, server, 'sealed');
};

const orderMany = (call: RouteCall): object => {
  const { core, verbs, params, body } = call;
  const requests = Array.isArray(body['requests']) ? body['requests'].filter(isRecord) : [];
  if (requests.length === 0) throw invalidArgument('requests', 'is required');
  const orders = requests.map(({ name }) => toOrder(call, name));
  return {
    servers: verbs.order(params['zone'] ?? '', orders).map((server) => renderServer(core, server, 'sealed')),
  };
};

export const ORDER_ROUTES: readonly Route[] = [
  { method: 'POST', path: `${APPLE_SILICON}/servers`, verb: 'order', handle: orderOne },
  { method: 'POST', path: `${APPLE_SILICON}/batch-create-servers`, verb: 'order', handle: orderMany },
];
