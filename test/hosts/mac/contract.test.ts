/** Macs with real bash and step-level ones pass the same contract: same batches, same observable results. */
import { createSystemClock } from '../../../src/base/clock.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { HostSession, Hosts } from '../../../src/hosts/port.ts';
import { readStepFiles } from '../../../src/hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../../src/hosts/ssh/ssh-hosts.ts';
import { type HostsContractWorld, testHostsContract } from '../../../src/hosts/testing/hosts-contract.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { serveBashMac } from '../../../src/sim/mac/bash/serve-bash-mac.ts';
import { createCleanUp, PASSWORD, stageMac } from './stage.ts';

const fleetKey = openSshKeyFrom(Buffer.alloc(32, 7));
const files = readStepFiles();
/** Nobody listens there, on a machine that nobody set up for it. */
const CLOSED_PORT = 1;
/** Not more: the Mac ends a batch that takes longer than its limit, by the Mac's own clock. */
const TIME_SCALE = 5;

const inWorld = async (body: (world: HostsContractWorld) => Promise<void>): Promise<void> => {
  const cleanUp = createCleanUp();
  try {
    const { mac } = await stageMac(cleanUp, { authorizedKeys: [fleetKey.publicKey], timeScale: TIME_SCALE });
    const door = await serveBashMac(mac);
    cleanUp.after(() => door.close());
    const hosts = createSshHosts({ clock: createSystemClock(), ...DEFAULT_SSH_TIMES, files });
    const sessions: HostSession[] = [];
    const tracked: Hosts = {
      open: async (...args) => {
        const session = await hosts.open(...args);
        sessions.push(session);
        return session;
      },
    };
    cleanUp.after(async () => {
      for (const session of sessions) await session.close();
    });
    await body({
      hosts: tracked,
      target: {
        ...{ address: '127.0.0.1', port: door.port, user: 'm1', pinnedHostKey: undefined },
        privateKey: fleetKey.privateKey,
      },
      sudoPassword: new Secret(PASSWORD),
      foreignKey: openSshKeyFrom(Buffer.alloc(32, 2)).privateKey,
      nowhere: { port: CLOSED_PORT },
      breakNextCheck: (step, how) => mac.trouble.breakNext(`${step}/check`, how),
    });
  } finally {
    await cleanUp.run();
  }
};

testHostsContract('real bash over SSH', inWorld);
