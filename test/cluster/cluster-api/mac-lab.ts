/**
 * A simulated Scaleway project in the test's own process, served over HTTP, whose Macs run real bash behind real SSH, and
 * tart-kubelet: both outlive every manager that works on them, however it ends.
 */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { SIMULATED_KEY } from '../../../src/scaleway/port/simulated-key.ts';
import { type ServedCloud, serveCloud } from '../../../src/sim/cloud/serve-cloud.ts';
import { createSimCloud, type SimCloud } from '../../../src/sim/cloud/sim-cloud.ts';
import type { SimServer } from '../../../src/sim/cloud/sim-server.ts';
import { type BashMacs, createBashMacs } from '../../../src/sim/mac/bash/bash-macs.ts';
import { createMacArtefacts } from '../../../src/sim/mac/bash/mac-artefacts.ts';
import { openMacRack } from '../../../src/sim/mac/bash/mac-rack.ts';
import { sandboxObstacle } from '../../../src/sim/mac/bash/sandbox.ts';
import { scaleClock } from '../../../src/sim/mac/bash/scaled-clock.ts';
import { renderTartSettings } from '../../../src/sim/tart/program/render-settings.ts';
import type { SimTartSettings } from '../../../src/sim/tart/tart-settings.ts';
import { chooseFreePort } from '../../../tools/processes/ports.ts';
import { AGENT_ON_MAC } from '../../tart-kubelet/agent-under-test.ts';

export interface MacLab {
  readonly cloud: SimCloud;
  readonly macs: BashMacs;
  /** For a process that is to work on the project, with its first API key or its second. */
  readonly environments: Readonly<Record<'first' | 'second', ServedCloud['environment']>>;
  /** Flags of a manager that tell where the Macs answer, and what is put on them. */
  flags(): Promise<Readonly<Record<string, string>>>;
  /** Delivered and free, with the keys that the project has now. */
  addMacs(count: number): Promise<void>;
  close(): Promise<void>;
}

/** By its access key the audit tells who wrote. */
const SECOND_KEY = {
  accessKey: 'SCWSIMULATED00000002',
  secretKey: '00000000-0000-4000-b000-000000000002',
} as const;

/** Scripts of Macs run in a sandbox only: where there is none, tests with a lab are skipped, and say why. */
export const skipWithoutLab = (): string | false => sandboxObstacle() ?? false;

const POOL_PREFIX = 'tuist-pool-';
/** A wipe takes five to fifteen minutes of life. */
const CLOUD_SPEED_UP = 300;
const MAC_SPEED_UP = 10;

export const openMacLab = async (tart: Partial<SimTartSettings> = {}): Promise<MacLab> => {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const ids = createIds(random);
  const logger = createLogger({ clock, level: 'error', destination: { write: (text) => process.stderr.write(text) } });
  const cloud = createSimCloud({
    ...{ clock, random, projectId: ids.uuid(), apiKeys: [SIMULATED_KEY, SECOND_KEY], timeScale: 1 / CLOUD_SPEED_UP },
  });
  const rack = await openMacRack({ parentDir: tmpdir(), node: process.execPath });
  const files = mkdtempSync(join(tmpdir(), 'macfleet-lab-'));
  const port = await chooseFreePort();
  const macs = createBashMacs({ cloud, rack, ids, port, clock: scaleClock(clock, MAC_SPEED_UP), logger });
  const served = await serveCloud({ clock, cloud });
  // Labs run side by side: each has a network of its own on the loopback.
  const network = `127.${random.bytes(2).join('.')}`;
  let written: ReturnType<typeof writeArtefacts> | undefined;
  const { environment: first } = served;
  const second = { ...first, SCW_ACCESS_KEY: SECOND_KEY.accessKey, SCW_SECRET_KEY: SECOND_KEY.secretKey };
  return {
    ...{ cloud, macs, environments: { first, second } },
    flags: async () => {
      // Once: another bundle is another release to a manager.
      written ??= writeArtefacts(files, renderAgent(cloud.servers(), tart));
      return { 'ssh-port': `${port}`, 'default-adopt-pool-prefix': POOL_PREFIX, ...(await written) };
    },
    addMacs: async (count) => {
      for (let at = cloud.servers().length + 1; count > 0; at += 1, count -= 1)
        cloud.addServer({ name: `${POOL_PREFIX}${at}`, address: `${network}.${at}` });
      await macs.settled();
    },
    close: async () => {
      await served.close();
      cloud.stop();
      await macs.stop();
      await rack.close();
      rmSync(files, { recursive: true, force: true });
    },
  };
};

const FLAGS = {
  tart: 'tart-tarball-path',
  node: 'tartkubelet-runtime-path',
  agent: 'tartkubelet-bundle-path',
} as const;

/**
 * tart-kubelet, whose VMs are those of the simulated Tart. All Macs have the network of this machine: an agent is told the address of its
 * server, which a Mac would find by itself, and serves there and nowhere else.
 */
const renderAgent = (servers: readonly Pick<SimServer, 'id' | 'address'>[], tart: Partial<SimTartSettings>): string => `
${renderTartSettings(tart)}
const addresses = ${JSON.stringify(Object.fromEntries(servers.map(({ id, address }) => [id, address])))};
const server = process.argv.find((word) => word.startsWith('--provider-id='))?.split('/').at(-1);
process.argv.push('--node-ip', addresses[server] ?? '127.0.0.1', '--kubelet-port', '0');
process.argv.push('--metrics-bind-address', '0', '--health-probe-bind-address', '0');
await import('${AGENT_ON_MAC}');
`;

const writeArtefacts = async (dir: string, agent: string): Promise<Readonly<Record<string, string>>> => {
  const artefacts = Object.values(createMacArtefacts({ agent }));
  const written = artefacts.map(async ({ name, sha256, open }) => {
    const path = join(dir, sha256);
    await pipeline(open(), createWriteStream(path));
    return [FLAGS[name as keyof typeof FLAGS], path];
  });
  return Object.fromEntries(await Promise.all(written));
};
