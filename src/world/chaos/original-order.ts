/**
 * A model of another order of effects: that of the Go original, as it is described (docs/correctness.md and its own incidents), on the virtual
 * clock and the simulated cloud. Small on purpose: what it does with a Mac, in which order, and when it writes down what it did. It is there to be
 * judged beside our managers by the same judge, under the same plan of trouble.
 */
import { neverAborted } from '../../base/abort.ts';
import { sleep } from '../../base/clock.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import { connectCloud } from '../../scaleway/adapter/connect.ts';
import { createSimulatedCredentials } from '../../scaleway/adapter/credentials.ts';
import type { Cloud, ServerRef } from '../../scaleway/port/cloud.ts';
import type { SimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createKernelCloudTransport } from '../../sim/cloud/transports.ts';
import type { Actor } from '../../sim/kernel/actor.ts';
import { POOL_PREFIX } from '../simulated-provider.ts';

/** A machine as the API has it: what a manager finds when it starts. */
export interface ModelMachine {
  readonly name: string;
  isDeleting: boolean;
  /** Written at the end of a pass, not before its effects. */
  serverId: string | undefined;
  hasFinalizer: boolean;
  isBootstrapped: boolean;
  failures: number;
}

export interface OriginalOptions {
  readonly cloud: SimCloud;
  /** The API: outlives managers. */
  readonly machines: Map<string, ModelMachine>;
  /** Whether the next bootstrap of this Mac fails; uses that up. */
  readonly takeFailure: (serverId: string) => boolean;
}

/** A hundredth of what it waits in production, as our managers wait in chaos. */
const PASS_MS = 100;
const RETRY_MS = 600;
const BOOTSTRAP_MS = 2_000;
const SWEEP_MS = 9_000;
const REBOOT_AFTER = 3;

interface Pass extends OriginalOptions {
  readonly actor: Actor;
  readonly port: Cloud;
  /** When a machine may be looked at again. */
  readonly notBeforeMs: Map<string, number>;
}

/** One life of its manager: one pass after the other, until it is killed. */
export const runOriginalOrder = async (actor: Actor, options: OriginalOptions): Promise<void> => {
  const { clock, random } = actor;
  const port = connectCloud({
    ...{ clock, random, credentials: createSimulatedCredentials(options.cloud.projectId) },
    transport: createKernelCloudTransport(options.cloud, actor),
  });
  const pass: Pass = { ...options, actor, port, notBeforeMs: new Map() };
  let sweepAtMs = clock.elapsed() + SWEEP_MS;
  for (;;) {
    for (const machine of options.machines.values()) await reconcile(pass, machine);
    if (clock.elapsed() >= sweepAtMs) {
      sweepAtMs = clock.elapsed() + SWEEP_MS;
      await orFail(sweep(pass));
    }
    await sleep(clock, PASS_MS, neverAborted());
  }
};

const orFail = async (work: Promise<void>): Promise<'done' | 'failed'> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (isKind(error, 'bug')) throw error;
    return 'failed';
  }
};

const reconcile = async (pass: Pass, machine: ModelMachine): Promise<void> => {
  const { clock } = pass.actor;
  if (clock.elapsed() < (pass.notBeforeMs.get(machine.name) ?? 0)) return;
  const how = await orFail(machine.isDeleting ? release(pass, machine) : provide(pass, machine));
  if (how === 'failed') pass.notBeforeMs.set(machine.name, clock.elapsed() + RETRY_MS);
};

/** Everything that a pass learnt is written when it ends. */
const persist = (pass: Pass, name: string, change: (machine: ModelMachine) => void): Promise<void> =>
  pass.actor.call({
    site: 'kube:PATCH',
    effect: () => {
      const machine = pass.machines.get(name);
      if (machine !== undefined) change(machine);
    },
    signal: neverAborted(),
  });

const provide = async (pass: Pass, { name, serverId, isBootstrapped }: ModelMachine): Promise<void> => {
  if (serverId === undefined) {
    const claimed = await claim(pass, name);
    await persist(pass, name, (machine) => Object.assign(machine, { serverId: claimed, hasFinalizer: true }));
    return;
  }
  if (isBootstrapped) return;
  await sleep(pass.actor.clock, BOOTSTRAP_MS, neverAborted());
  const hasFailed = pass.takeFailure(serverId);
  const failures = hasFailed ? (pass.machines.get(name)?.failures ?? 0) + 1 : 0;
  if (failures === REBOOT_AFTER) await pass.port.rebootServer(refOf(pass, serverId), { signal: neverAborted() });
  await persist(pass, name, (machine) => Object.assign(machine, { failures, isBootstrapped: !hasFailed }));
};

/** By two renames, on what a list showed; that the second look shows the own marker proves nothing about who had it before. */
const claim = async (pass: Pass, name: string): Promise<string | undefined> => {
  const { port, cloud, actor } = pass;
  const signal = neverAborted();
  const listed = await port.listServers(cloud.zone, signal);
  const own = listed.find((server) => server.name === name);
  if (own !== undefined) return own.id;
  const marker = `${PENDING_PREFIX}${actor.ids.uuid()}`;
  for (const server of listed) {
    const isOffered = server.name.startsWith(POOL_PREFIX) || server.name.startsWith(PENDING_PREFIX);
    if (!isOffered || !server.isDelivered || server.status !== 'ready') continue;
    await port.renameServer(server, marker, { signal });
    if ((await port.getServer(server, signal)).name !== marker) continue;
    await port.renameServer(server, name, { signal });
    return server.id;
  }
  return undefined;
};

const PENDING_PREFIX = 'tuist-claim-pending-';

/** The finalizer goes last: a pass that failed or died somewhere in here does all of it again. */
const release = async (pass: Pass, { name, serverId }: ModelMachine): Promise<void> => {
  if (serverId !== undefined) await returnToPool(pass, serverId);
  await pass.actor.call({
    site: 'kube:PATCH',
    effect: () => void pass.machines.delete(name),
    signal: neverAborted(),
  });
};

/** The pool name before the wipe, and whatever is in transition counts as being wiped. */
const returnToPool = async ({ port, actor, cloud }: Pass, serverId: string): Promise<void> => {
  const ref = { zone: cloud.zone, id: serverId };
  const signal = neverAborted();
  await port.renameServer(ref, `${POOL_PREFIX}${actor.ids.uuid()}`, { signal });
  try {
    await port.reinstallServer(ref, undefined, { signal });
  } catch (error) {
    if (toFleetError(error).code !== 'TransientState') throw error;
  }
};

/** What has no machine by its name or its id is taken for abandoned, and wiped. */
const sweep = async (pass: Pass): Promise<void> => {
  const { port, cloud, machines } = pass;
  const ids = new Set([...machines.values()].map(({ serverId }) => serverId));
  for (const { id, name } of await port.listServers(cloud.zone, neverAborted())) {
    const isOffered = name.startsWith(POOL_PREFIX) || name.startsWith(PENDING_PREFIX);
    if (!isOffered && !machines.has(name) && !ids.has(id)) await returnToPool(pass, id);
  }
};

const refOf = ({ cloud }: Pass, id: string): ServerRef => ({ zone: cloud.zone, id });
