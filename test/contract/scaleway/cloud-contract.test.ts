/** The contract between adapter and simulator within one process: by plain calls, and on the kernel. */
import { setImmediate as turn } from 'node:timers/promises';
import { neverAborted } from '../../../src/base/abort.ts';
import { sleep } from '../../../src/base/clock.ts';
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import { createKernelCloudPort, createSimCloudPort } from '../../../src/scaleway/testing/sim-cloud-port.ts';
import { createKernel } from '../../../src/sim/kernel/kernel.ts';
import { createContractProject, testCloudContract } from './cloud-contract.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 7 * 24 * 3_600_000 };

testCloudContract('in process', async (body) => {
  const clock = createManualClock();
  const { core, ...world } = createContractProject(clock);
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turn();
  };
  await body({ ...world, cloud: createSimCloudPort(core, { clock, latencyMs: 0 }), pass });
});

testCloudContract('on the kernel', async (body) => {
  const kernel = createKernel({ seed: 1 });
  const { core, ...world } = createContractProject(kernel.actor('metal').clock);
  kernel.boot('client', (actor) =>
    body({
      ...world,
      cloud: createKernelCloudPort(core, actor),
      pass: (ms) => sleep(actor.clock, ms, neverAborted()),
    }),
  );
  await kernel.run(BOUNDS);
});
