/** What it takes to bring step-level Macs to where their agents run: batches, bytes, time on the virtual clock, memory. */
import type { Artefact, Hosts, HostTarget, Preparation } from '../../src/hosts/port.ts';
import type { Benchmark, Sample } from '../benchmark.ts';
import { countOriginal } from '../subjects/original-bootstrap.ts';
import { settledMemory } from '../subjects/usage.ts';

const FLEET = 40;
const MANY = 1_000;

interface Wire {
  batches: number;
  uploads: number;
  bytes: number;
}

/** What goes over the wire, counted as the SSH adapter would send it, with the real scripts. */
const countedHosts = async (hosts: Hosts, wire: Wire): Promise<Hosts> => {
  const { renderBatchArgv, renderSecrets } = await import('../../src/hosts/port/batch-wire.ts');
  const { composeProgram } = await import('../../src/hosts/program/compose.ts');
  const { readStepFiles } = await import('../../src/hosts/program/step-files.ts');
  const files = readStepFiles();
  return {
    open: async (...args) => {
      const session = await hosts.open(...args);
      return {
        ...session,
        run: (batch, signal) => {
          const ids = batch.calls.map(({ step }) => step);
          wire.batches += 1;
          wire.bytes += renderBatchArgv(composeProgram(files, ids), batch).join(' ').length;
          wire.bytes += renderSecrets(batch.calls).length;
          return session.run(batch, signal);
        },
        upload: (artefacts, signal) => {
          wire.uploads += 1;
          wire.bytes += artefacts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          return session.upload(artefacts, signal);
        },
      };
    },
  };
};

/** A project of so many Macs on a kernel without faults, and a way to prepare each. */
const createFleet = async (count: number) => {
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { createSeededRandom } = await import('../../src/base/random.ts');
  const { Secret } = await import('../../src/base/secret.ts');
  const { createHostPreparer } = await import('../../src/hosts/host-preparer.ts');
  const { readStepFiles } = await import('../../src/hosts/program/step-files.ts');
  const { createSimCloud } = await import('../../src/sim/cloud/sim-cloud.ts');
  const { createKernel } = await import('../../src/sim/kernel/kernel.ts');
  const { createSimMacs } = await import('../../src/sim/mac/sim-macs.ts');
  const { createStepLevelConfiguration } = await import('../../src/sim/mac/step-level-configuration.ts');
  const kernel = createKernel({ seed: 1 });
  const { clock } = kernel.actor('metal');
  const cloud = createSimCloud({ clock, random: createSeededRandom(1) });
  const fleetKey = new Secret('fleet private key');
  const startAgent = (): (() => void) => () => undefined;
  const macs = createSimMacs({ cloud, clock, fleetKey, random: createSeededRandom(2), startAgent });
  const servers = Array.from({ length: count }, (_, at) => cloud.addServer({ name: `pool-${at}` }));
  const wire: Wire = { batches: 0, uploads: 0, bytes: 0 };
  const prepareOn = async (at: number, artefacts: Readonly<Record<string, Artefact>>, epoch: number) => {
    const server = servers[at];
    if (server === undefined) return;
    const took = { startMs: 0, endMs: 0 };
    const pinnedHostKey = macs.mac(server.id).view().hostKey;
    const target: HostTarget = { address: server.address, user: 'm1', privateKey: fleetKey, pinnedHostKey };
    const preparation: Preparation = {
      ...{ target, epoch, claim: `uid-${at}`, nodeName: `mac-${at}`, providerId: `scw-applesilicon://z/${at}` },
      ...{ fleet: 'runners', kubeconfig: new Secret('k'.repeat(2_000)), onProgress: () => undefined },
      sudo: { password: server.password, tries: [], record: async () => undefined },
    };
    kernel.boot(`manager of ${at}, ${epoch}`, async (actor) => {
      const hosts = await countedHosts(macs.kernelHosts(actor), wire);
      const files = readStepFiles();
      took.startMs = clock.now();
      await createHostPreparer({ hosts, clock: actor.clock, files, artefacts }).prepare(preparation, neverAborted());
      took.endMs = clock.now();
    });
    return took;
  };
  /** Prepares those Macs, all at once, and says how long each took and all together, in virtual time. */
  const prepare = async (which: readonly number[], artefacts: Readonly<Record<string, Artefact>>, epoch: number) => {
    const before = { ...wire };
    const runs = await Promise.all(which.map((at) => prepareOn(at, artefacts, epoch)));
    await kernel.run({ maxEvents: 10_000_000, maxVirtualMs: 36_000_000 });
    const ends = runs.flatMap((run) => (run === undefined ? [] : [run]));
    return {
      slowestMs: Math.max(...ends.map(({ startMs, endMs }) => endMs - startMs)),
      makespanMs: Math.max(...ends.map(({ endMs }) => endMs)) - Math.min(...ends.map(({ startMs }) => startMs)),
      batches: wire.batches - before.batches,
      executions: wire.batches + wire.uploads - before.batches - before.uploads,
      bytes: wire.bytes - before.bytes,
    };
  };
  return { prepare, release: (name: string) => createStepLevelConfiguration(name).artefacts };
};

const all = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const ours = async (): Promise<Sample> => {
  const { prepare, release } = await createFleet(FLEET + 1);
  const first = release('1');
  const cold = await prepare([FLEET], first, 1);
  const noop = await prepare([FLEET], first, 2);
  const { agent } = release('2');
  const roll = await prepare([FLEET], { ...first, ...(agent === undefined ? {} : { agent }) }, 3);
  const fleet = await prepare(all(FLEET), first, 1);
  const { heapMb: before } = await settledMemory();
  const many = await createFleet(MANY);
  await many.prepare(all(MANY), first, 1);
  const { heapMb: after } = await settledMemory();
  return {
    '40 bootstraps in the time of the slowest, times': fleet.makespanMs / fleet.slowestMs,
    'batches of a cold bootstrap': cold.batches,
    'executions of a cold bootstrap, with the upload': cold.executions,
    'executions of the original for what we do too, times ours': countOriginal(['ours']) / cold.executions,
    'executions of the original with nothing optional, times ours': countOriginal(['ours', 'always']) / cold.executions,
    'executions of the original with every option, times ours':
      countOriginal(['ours', 'always', 'option']) / cold.executions,
    'batches of a push that changes nothing': noop.executions,
    'bytes of a push that changes nothing, kB': noop.bytes / 1_000,
    'bytes of a roll of the bundle, kB': roll.bytes / 1_000,
    // The fleet is used after the measurement, so that nothing of it can have been collected.
    'heap of 1,000 prepared Macs, MB': many.prepare.length > 0 ? after - before : Number.NaN,
  };
};

export const hosts: Benchmark = {
  id: 'hosts',
  about:
    "bootstraps on step-level Macs, on the virtual clock; the original's executions are counted in subjects/original-bootstrap.ts",
  figures: [
    { name: '40 bootstraps in the time of the slowest, times', goal: { of: 'ours', is: '<=', value: 1.05 } },
    { name: 'batches of a cold bootstrap', goal: { of: 'ours', is: '<=', value: 7 } },
    { name: 'executions of a cold bootstrap, with the upload' },
    { name: 'executions of the original for what we do too, times ours' },
    {
      name: 'executions of the original with nothing optional, times ours',
      goal: { of: 'ours', is: '>=', value: 3 },
    },
    { name: 'executions of the original with every option, times ours' },
    { name: 'batches of a push that changes nothing', goal: { of: 'ours', is: '<=', value: 1 } },
    { name: 'bytes of a push that changes nothing, kB' },
    { name: 'bytes of a roll of the bundle, kB', goal: { of: 'ours', is: '<=', value: 1_000 } },
    { name: 'heap of 1,000 prepared Macs, MB', goal: { of: 'ours', is: '<=', value: 60 } },
  ],
  ours,
};
