/** The Cloud port on the simulated cloud, through the real adapter: in real time, and as an actor of the kernel. */
import type { Clock } from '../../base/clock.ts';
import { createSeededRandom } from '../../base/random.ts';
import type { SimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createKernelCloudTransport, createSimCloudTransport } from '../../sim/cloud/transports.ts';
import type { Actor } from '../../sim/kernel/actor.ts';
import { connectCloud } from '../adapter/connect.ts';
import { createSimulatedCredentials } from '../adapter/credentials.ts';
import type { Cloud } from '../port/cloud.ts';

export const createSimCloudPort = (
  cloud: SimCloud,
  { clock, latencyMs }: { readonly clock: Clock; readonly latencyMs: number },
): Cloud =>
  connectCloud({
    transport: createSimCloudTransport(cloud, { clock, latencyMs }),
    credentials: createSimulatedCredentials(cloud.projectId),
    clock,
    random: createSeededRandom('sim cloud port'),
  });

export const createKernelCloudPort = (cloud: SimCloud, actor: Actor, options: { readonly to?: string } = {}): Cloud =>
  connectCloud({
    transport: createKernelCloudTransport(cloud, actor, options),
    credentials: createSimulatedCredentials(cloud.projectId),
    clock: actor.clock,
    random: actor.random,
  });
