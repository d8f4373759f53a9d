/** Step-level Macs for managers in processes of their own: the cloud over HTTP, each Mac behind an SSH port at its own address of the loopback. */
import { openSshKeyFrom } from '../../../pki/openssh-key.ts';
import { type ServedCloud, serveCloud } from '../../../sim/cloud/serve-cloud.ts';
import type { SshDoor } from '../../../sim/mac/ssh-door.ts';
import { serveMac } from '../../../sim/mac/ssh-server.ts';
import { type StepLevelOptions, type StepLevelSimulation, startStepLevelMacs } from '../../../world/step-level-macs.ts';

export interface ChaosMacs {
  readonly simulation: StepLevelSimulation;
  readonly served: ServedCloud;
  readonly sshPort: number;
  /** What the Secret of a fleet's key holds: all Macs let it in. */
  readonly fleetKey: { readonly privateKey: string; readonly publicKey: string };
  stop(): Promise<void>;
}

const KEY_BYTES = 32;

export const startChaosMacs = async (
  options: Omit<StepLevelOptions, 'fleetKey' | 'addressOf'>,
  signal: AbortSignal,
): Promise<ChaosMacs> => {
  const { clock, random } = options;
  const key = openSshKeyFrom(Buffer.from(random.bytes(KEY_BYTES)));
  // Several may run on one machine: each has a network of its own.
  const network = `127.${1 + random.integer(254)}.${random.integer(256)}`;
  const simulation = startStepLevelMacs(
    { ...options, fleetKey: key.privateKey, addressOf: (at) => `${network}.${at}` },
    signal,
  );
  const { cloud, macs, macOf } = simulation;
  await simulation.deliver();
  const doors: SshDoor[] = [];
  const served = await serveCloud({ clock, cloud, macOf });
  const stop = async (): Promise<void> => {
    await served.close();
    await Promise.all(doors.map((door) => door.close()));
    await simulation.stop();
  };
  try {
    for (const { id, address } of cloud.servers()) {
      const { port } = doors[0] ?? { port: 0 };
      const at = { hosts: macs.hosts, mac: macs.mac(id), fleetKey: key.privateKey };
      doors.push(await serveMac({ ...at, address, listenOn: address, port }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const { privateKey, publicKey } = key;
  return {
    ...{ simulation, served, stop, sshPort: doors[0]?.port ?? 0 },
    fleetKey: { privateKey: privateKey.reveal(), publicKey },
  };
};
