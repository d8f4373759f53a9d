/** A simulated cloud with one Mac with real bash, and our preparer that reaches it over SSH. */
import { tmpdir } from 'node:os';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSeededRandom, createSystemRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import { createHostPreparer } from '../../../src/hosts/host-preparer.ts';
import type { Batch, Hosts, Preparation } from '../../../src/hosts/port.ts';
import { readStepFiles } from '../../../src/hosts/program/step-files.ts';
import { DEFAULT_SSH_TIMES } from '../../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../../src/hosts/ssh/ssh-hosts.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { createSimCloud } from '../../../src/sim/cloud/sim-cloud.ts';
import { createBashMacs } from '../../../src/sim/mac/bash/bash-macs.ts';
import { createMacArtefacts, type MacArtefactsOptions } from '../../../src/sim/mac/bash/mac-artefacts.ts';
import { openMacRack } from '../../../src/sim/mac/bash/mac-rack.ts';
import { scaleClock } from '../../../src/sim/mac/bash/scaled-clock.ts';
import type { CleanUp } from './stage.ts';

export interface Push extends MacArtefactsOptions {
  readonly epoch: number;
  readonly kubeconfig?: Secret<string>;
}

const FLEET_KEY = openSshKeyFrom(Buffer.alloc(32, 7));
const HOUR_MS = 3_600_000;
const signal = neverAborted();

export const stageLife = async (t: CleanUp) => {
  const cloudClock = createManualClock();
  const cloud = createSimCloud({ clock: cloudClock, random: createSeededRandom(3) });
  cloud.as('a person').addSshKey({ name: 'fleet', publicKey: FLEET_KEY.publicKey });
  const clock = createSystemClock();
  const rack = await openMacRack({ parentDir: tmpdir(), node: process.execPath });
  const macs = createBashMacs({
    ...{ cloud, rack, ids: createIds(createSystemRandom()), clock: scaleClock(clock, 10) },
    logger: createLogger({ clock, level: 'error', destination: { write: () => undefined } }),
  });
  t.after(async () => {
    await macs.stop();
    await rack.close();
  });
  const server = cloud.addServer({ name: 'pool-a' });
  await macs.settled();
  const files = readStepFiles();
  const batches: Batch[] = [];
  const hosts = recorded(macs.hosts(createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files })), batches);
  const now = () => cloud.server(server.id) ?? server;
  const prepare = async ({ epoch, kubeconfig = new Secret('apiVersion: v1\n'), ...made }: Push): Promise<string> => {
    const artefacts = createMacArtefacts(made);
    const preparer = createHostPreparer({ hosts, clock, files, artefacts });
    const target = { address: now().address, user: 'm1', privateKey: FLEET_KEY.privateKey, pinnedHostKey: undefined };
    const pinnedHostKey = await preparer.lookAtHostKey(target, signal);
    const preparation: Preparation = {
      ...{ target: { ...target, pinnedHostKey }, epoch, claim: 'ours', nodeName: 'mac-a', providerId: 'scaleway://a' },
      ...{ fleet: 'macs', kubeconfig, onProgress: () => undefined },
      sudo: { password: now().password, tries: [], record: async () => undefined },
    };
    return (await preparer.prepare(preparation, signal)).digest;
  };
  const through = async (act: () => void): Promise<void> => {
    act();
    cloudClock.advance(HOUR_MS);
    await macs.settled();
  };
  return { cloud, ref: { id: server.id, zone: server.zone }, mac: macs.mac(server.id), prepare, through, batches };
};

const recorded = (hosts: Hosts, batches: Batch[]): Hosts => ({
  open: async (...args) => {
    const session = await hosts.open(...args);
    return {
      ...session,
      run: (batch, ...rest) => {
        batches.push(batch);
        return session.run(batch, ...rest);
      },
    };
  },
});
