/**
 * A toy client on the simulation kernel that takes one Mac through its whole life: claim, bootstrap, release. It shows that
 * both simulators and the step runner work together under faults; the real controller is in src/provider/host.
 */
import { neverAborted, withDeadline } from '../../base/abort.ts';
import { sleep } from '../../base/clock.ts';
import { assert, isKind, messageOf } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { Secret } from '../../base/secret.ts';
import { createKernelCloudPort } from '../../scaleway/testing/sim-cloud-port.ts';
import { createSimCloud, type SimCloud } from '../../sim/cloud/sim-cloud.ts';
import type { SimServer } from '../../sim/cloud/sim-server.ts';
import type { Actor } from '../../sim/kernel/actor.ts';
import { createKernel, type Kernel, type KernelOptions } from '../../sim/kernel/kernel.ts';
import type { RunResult } from '../../sim/kernel/run.ts';
import { createSimMacs, type SimMacs } from '../../sim/mac/sim-macs.ts';
import { createStepLevelConfiguration } from '../../sim/mac/step-level-configuration.ts';
import { createHostPreparer } from '../host-preparer.ts';
import type { HostPreparer, HostTarget } from '../port.ts';

export type MacLifeOptions = Pick<KernelOptions, 'seed' | 'network'> & {
  readonly crash?: KernelOptions['crash'] | undefined;
};

export interface MacLife {
  readonly kernel: Kernel;
  readonly cloud: SimCloud;
  server(): SimServer;
  /** Names of the Nodes whose agents run. */
  runningAgents(): readonly string[];
  everRan(): boolean;
  run(): Promise<RunResult>;
}

/** What the client keeps over a restart. */
interface Memory {
  phase: 'claim' | 'prepare' | 'release' | 'reinstall' | 'wait' | 'give-back' | 'done';
  epoch: number;
  hostKey: string | undefined;
}

interface Client {
  readonly actor: Actor;
  readonly cloud: ReturnType<typeof createKernelCloudPort>;
  readonly preparer: HostPreparer;
  readonly server: SimServer;
  readonly memory: Memory;
}

const CALL_TIMEOUT_MS = 10_000;
/** Longer than any late effect of the storms it is used in, so that none of the old life hits the new. */
const QUIET_MS = 60_000;
const fleetKey = new Secret('fleet private key');

export const createMacLife = ({ crash, ...options }: MacLifeOptions): MacLife => {
  const kernel = createKernel({ ...options, ...(crash !== undefined && { crash }) });
  const { clock } = kernel.actor('metal');
  const cloud = createSimCloud({ clock, random: createSeededRandom(`cloud ${options.seed}`) });
  const { id } = cloud.addServer({ name: 'pool-a' });
  const server = (): SimServer => {
    const [found] = cloud.servers();
    assert(found?.id === id, 'the server is there');
    return found;
  };
  const running = new Set<{ readonly nodeName: string }>();
  let ran = 0;
  const macs: SimMacs = createSimMacs({
    ...{ cloud, clock, fleetKey, random: createSeededRandom(`macs ${options.seed}`) },
    startAgent: (agent) => {
      running.add(agent);
      ran += 1;
      return () => running.delete(agent);
    },
  });
  const memory: Memory = { phase: 'claim', epoch: 0, hostKey: undefined };
  kernel.boot('client', (actor) => {
    const preparer = createHostPreparer({
      ...{ hosts: macs.kernelHosts(actor), clock: actor.clock },
      ...createStepLevelConfiguration(),
    });
    return liveOn({ actor, cloud: createKernelCloudPort(cloud, actor), preparer, server: server(), memory });
  });
  const check = (): void => {
    const { name, wipes } = server();
    assert(name === 'pool-a' || !name.startsWith('pool-') || wipes > 0, `${name} without a wipe`);
    assert(running.size <= 1, 'two agents on one Mac');
  };
  const run = (): Promise<RunResult> => kernel.run({ maxEvents: 100_000, maxVirtualMs: 24 * 3_600_000, check });
  return {
    ...{ kernel, cloud, server, run },
    runningAgents: () => Array.from(running, ({ nodeName }) => nodeName),
    everRan: () => ran > 0,
  };
};

const PHASES: Readonly<Record<Exclude<Memory['phase'], 'done'>, (client: Client) => Promise<void>>> = {
  claim: (client) => rename(client, 'mac-1', 'prepare'),
  prepare: async (client) => {
    await prepare(client);
    client.memory.phase = 'release';
  },
  release: async (client) => {
    await rename(client, 'releasing', 'reinstall');
    await stopAgent(client);
  },
  reinstall: async (client) => {
    const { status } = await ask(client, (signal) =>
      client.cloud.reinstallServer(client.server, undefined, { signal }),
    );
    assert(status === 'reinstalling', 'accepted');
    client.memory.phase = 'wait';
  },
  wait: async (client) => {
    await sleep(client.actor.clock, QUIET_MS, neverAborted());
    const { status } = await look(client);
    if (status === 'ready') client.memory.phase = 'give-back';
    // An answer that was lost leaves the refusal of a busy server as the only sign; whoever is in doubt wipes again.
    if (status === 'error') client.memory.phase = 'reinstall';
  },
  'give-back': (client) => rename(client, 'pool-back', 'done'),
};

const liveOn = async (client: Client): Promise<void> => {
  const { memory, actor } = client;
  while (memory.phase !== 'done') {
    try {
      await PHASES[memory.phase](client);
    } catch (error) {
      if (!isKind(error, 'unavailable', 'conflict')) throw error;
      await sleep(actor.clock, 1_000 + actor.random.integer(4_000), neverAborted());
    }
  }
};

const ask = <T>({ actor }: Client, call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const deadline = { clock: actor.clock, timeoutMs: CALL_TIMEOUT_MS, signal: neverAborted(), doing: 'asking' };
  return withDeadline(deadline, call);
};

const look = (client: Client) => ask(client, (signal) => client.cloud.getServer(client.server, signal));

const rename = async (client: Client, name: string, next: Memory['phase']): Promise<void> => {
  await ask(client, (signal) => client.cloud.renameServer(client.server, name, { signal }));
  client.memory.phase = next;
};

/** Only a courtesy: the reinstall that follows ends the agent for certain. */
const stopAgent = async ({ preparer, memory, server, actor }: Client): Promise<void> => {
  const { address, sshUser: user } = server;
  const target = { address, user, privateKey: fleetKey, pinnedHostKey: memory.hostKey };
  try {
    await preparer.stopAgent({ target, epoch: memory.epoch }, neverAborted());
  } catch (error) {
    actor.note(`the agent was not stopped: ${messageOf(error)}`);
  }
};

/** A new epoch for every attempt, and a pin from the first session on. */
const prepare = async (client: Client): Promise<void> => {
  const { preparer, memory } = client;
  memory.epoch += 1;
  const { epoch } = memory;
  const { address, sshUser, sudoPassword } = await look(client);
  const target: HostTarget = { address, user: sshUser, privateKey: fleetKey, pinnedHostKey: memory.hostKey };
  memory.hostKey ??= await ask(client, (signal) => preparer.lookAtHostKey(target, signal));
  await preparer.prepare(
    {
      target: { ...target, pinnedHostKey: memory.hostKey },
      ...{
        epoch,
        sudo: { password: sudoPassword, tries: [], record: async () => undefined },
        claim: 'uid-1',
        nodeName: 'mac-1',
        providerId: `scw-applesilicon://z/${address}`,
      },
      ...{ fleet: 'runners', kubeconfig: new Secret('the kubeconfig'), onProgress: () => undefined },
    },
    neverAborted(),
  );
};
