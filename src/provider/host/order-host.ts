/**
 * One pass over an intent to rent a Mac (plan-order.ts): looks for what came of it, sends the order, or gives the Mac that
 * it became a record of its own. Nothing else of ours spends money.
 */
import { afterFailure } from '../../base/backoff.ts';
import { toTimestamp } from '../../base/clock.ts';
import { FleetError, isKind, toFleetError, unreachable } from '../../base/errors.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import { MAC_HOSTS, type MacHost, type MacHostSpec, parseMacHost } from '../../kinds/mac-host.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { apiVersionOf } from '../../kube/types/resource.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';
import { chooseOsImage } from '../../scaleway/port/os-family.ts';
import { forgetHost } from './forget-host.ts';
import { claimantOf, type ProviderCaches } from './host-caches.ts';
import { patchHost } from './host-record.ts';
import { NO_ORDERS, type OrderPlan, type OrderView, planOrder, tallyOrders } from './plan-order.ts';
import type { HostPorts } from './ports.ts';
import { notReady } from './report.ts';

export interface OrderDeps {
  readonly ports: HostPorts;
  readonly caches: ProviderCaches;
  /** Writes that this process put on record and has not sent: what for, by the id of the write. */
  readonly unsent: Map<string, 'recovery' | 'request' | 'order'>;
  /** Intents that this process decided to send. They count at once, before their record is stored. */
  readonly decided: Set<string>;
}

type Result = StepResult<MacHost>;

/** An order that has not left by then never does. */
const SEND_WITHIN_MS = 5_000;

/** Stops only when the intent has come to its end. */
export const orderHost = async (deps: OrderDeps, host: MacHost, context: ReconcileContext): Promise<Result> => {
  const plan = planOrder(await observeOrder(deps, host, context));
  switch (plan.do) {
    case 'wait':
      return wait(plan.afterMs, notReady(plan.reason, plan.message));
    case 'store':
      return decide(deps, host, plan);
    case 'send':
      return send(deps, host, context);
    case 'adopt':
      return adopt(deps, host, { server: plan.server, release: plan.release, context });
    case 'hand-over':
      await patchHost(plan.twin, { release: plan.release }, context);
      return wait(0);
    case 'forget':
      deps.decided.delete(host.spec.order?.intentID ?? '');
      await forgetHost(host, context);
      return stop(plan.event === undefined ? {} : { events: [plan.event] });
    default:
      return unreachable(plan);
  }
};

/** What counts as rented is read from the API itself: money is not spent on a cache. */
const observeOrder = async (deps: OrderDeps, host: MacHost, context: ReconcileContext): Promise<OrderView> => {
  const { ports, caches, unsent, decided } = deps;
  const { spec } = host;
  const { items } = await context.kube.list(MAC_HOSTS, { signal: context.signal });
  const others = items.map(parseMacHost).filter(({ metadata }) => metadata.name !== host.metadata.name);
  const twin = others.find((other) => other.spec.order?.intentID === spec.order?.intentID);
  const isUnsent = unsent.has(spec.lastWrite?.id ?? '');
  const isInDoubt = spec.lastWrite?.verb === 'order' && !isUnsent && twin === undefined;
  const server = isInDoubt ? await findServer(ports, spec, context.signal) : undefined;
  const nowMs = ports.clock.now();
  const counts = ({ order, lastWrite }: MacHostSpec): boolean =>
    lastWrite?.verb === 'order' || decided.has(order?.intentID ?? '');
  return {
    ...{ nowMs, spec, isUnsent, twin, server, wish: wishOf(caches, host), times: ports.settings.times },
    limits: ports.settings.orders ?? NO_ORDERS,
    tally: tallyOrders(others, { nowMs, counts, namespace: spec.claimRef?.namespace ?? '' }),
    uuid: ports.ids.uuid,
  };
};

const findServer = async (
  { cloud, settings }: HostPorts,
  { source, order }: MacHostSpec,
  signal: AbortSignal,
): Promise<CloudServer | undefined> => {
  const servers = await cloud.listServers(source.scaleway?.zone ?? '', signal);
  return servers.find(({ name, projectId }) => name === order?.name && projectId === settings.projectId);
};

const wishOf = (caches: ProviderCaches, host: MacHost): OrderView['wish'] => {
  const machine = claimantOf(caches, host);
  if (machine === undefined || machine.metadata.deletionTimestamp !== undefined) return 'gone';
  const { acquire, type, zone, os } = machine.spec;
  const { spec } = host;
  const isSame = type === spec.type && zone === spec.source.scaleway?.zone && os === spec.osFamily;
  return acquire === 'order' && isSame && !machine.status?.serverID ? 'wanted' : 'changed';
};

const decide = (deps: OrderDeps, { spec }: MacHost, plan: OrderPlan & { readonly do: 'store' }): Result => {
  if (plan.spec.lastWrite !== undefined) {
    deps.unsent.set(plan.spec.lastWrite.id, 'order');
    deps.decided.add(spec.order?.intentID ?? '');
  }
  return wait(0, { spec: plan.spec, ...(plan.event === undefined ? {} : { events: [plan.event] }) });
};

const send = async (deps: OrderDeps, host: MacHost, context: ReconcileContext): Promise<Result> => {
  const { spec } = host;
  deps.unsent.delete(spec.lastWrite?.id ?? '');
  const answer = await sendOnce(deps.ports, spec, context);
  if (answer.is === 'rented') return adopt(deps, host, { server: answer.server, release: spec.release, context });
  if (answer.is === 'refused') return refused(deps, host, answer.error);
  const message = `the answer to the order was lost (${answer.error.message}): looking for ${spec.order?.name}`;
  return wait(deps.ports.settings.times.pollMs, notReady(REASONS.host.ready.ordering, message));
};

type Answer =
  | { readonly is: 'rented'; readonly server: CloudServer }
  /** Certainly not ordered. */
  | { readonly is: 'refused'; readonly error: FleetError }
  | { readonly is: 'lost'; readonly error: FleetError };

const sendOnce = async (ports: HostPorts, spec: MacHostSpec, { signal, permit }: ReconcileContext): Promise<Answer> => {
  const order = { zone: spec.source.scaleway?.zone ?? '', type: spec.type ?? '' };
  let hasLeft = false;
  try {
    const imageId = await prepareOrder(ports, spec, signal);
    permit();
    hasLeft = true;
    const call = { signal, sendBeforeMs: ports.clock.elapsed() + SEND_WITHIN_MS };
    return { is: 'rented', server: await ports.cloud.orderServer({ ...order, imageId }, spec.order?.name ?? '', call) };
  } catch (thrown) {
    const error = toFleetError(thrown);
    const isInDoubt = hasLeft && isKind(error, 'unavailable', 'contract', 'cancelled', 'bug');
    return { is: isInDoubt ? 'lost' : 'refused', error };
  }
};

/** What can be known to be wrong is found before money is spent; the key has to be there before the Mac is installed (001-4). */
const prepareOrder = async (
  { cloud, fleetKeys }: HostPorts,
  { source, type = '', osFamily = '', fleet = '' }: MacHostSpec,
  signal: AbortSignal,
): Promise<string> => {
  const zone = source.scaleway?.zone ?? '';
  const types = await cloud.listServerTypes(zone, signal);
  if (!types.some(({ name }) => name === type)) {
    throw new FleetError('invalid', {
      code: 'UnknownServerType',
      message: `Scaleway has no server type "${type}" in ${zone}`,
      hint: `Say one of these in spec.type: ${types.map(({ name }) => name).join(', ')}.`,
    });
  }
  await fleetKeys.privateKeyOf(fleet, signal);
  return chooseOsImage(await cloud.listOsImages(zone, type, signal), osFamily).id;
};

/** The same intent is tried again, in a while. */
const refused = ({ ports, decided }: OrderDeps, { spec }: MacHost, error: FleetError): Result => {
  const { clock, random, settings } = ports;
  const { initialMs, maxMs } = settings.times.bootstrapBackoff;
  const policy = { initialMs, maxMs, factor: 2, minMs: initialMs / 2 };
  const { refusals = 0, ...order } = spec.order ?? { intentID: '', name: '', requestedAt: '' };
  const next = afterFailure({ attempts: refusals, notBeforeMs: 0 }, clock.now(), { policy, random });
  const message = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  decided.delete(order.intentID);
  return wait(0, {
    spec: {
      order: { ...order, refusals: next.attempts, nextAttemptAt: toTimestamp(next.notBeforeMs + 999) },
      lastWrite: undefined,
    },
    ...notReady(error.code, message),
    events: [{ type: 'Warning', reason: 'OrderRefused', message }],
  });
};

interface Adoption {
  readonly server: CloudServer;
  readonly release: MacHostSpec['release'];
  readonly context: ReconcileContext;
}

/** The Mac's own record, with all that the intent knew; then the intent goes. */
const adopt = async (deps: OrderDeps, host: MacHost, { server, release, context }: Adoption): Promise<Result> => {
  const { source: _, lastWrite, ...intent } = host.spec;
  const spec = {
    ...intent,
    source: { scaleway: { projectID: deps.ports.settings.projectId, zone: server.zone, serverID: server.id } },
    ordered: true,
    assignedName: { current: host.spec.order?.name },
    ...(lastWrite === undefined ? {} : { lastWrite }),
    ...(release === undefined ? {} : { release }),
  };
  const record = { apiVersion: apiVersionOf(MAC_HOSTS), kind: MAC_HOSTS.kind, metadata: { name: server.id }, spec };
  try {
    await context.kube.create(MAC_HOSTS, parseMacHost(record), { signal: context.signal });
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
  }
  const message = `Rented ${server.id} as ${server.name}`;
  return wait(0, { events: [{ type: 'Normal', reason: 'Ordered', message }] });
};
