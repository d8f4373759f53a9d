/** The contract between adapter and simulator over real sockets, in a process without a kernel, which would take them for leaks. */
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import { createContractProject, testCloudContract } from './cloud-contract.ts';
import { connectOverHttp } from './over-http.ts';

for (const scheme of ['http', 'https'] as const) {
  testCloudContract(`over ${scheme.toUpperCase()}`, async (body) => {
    const clock = createManualClock();
    const { core, ...world } = createContractProject(clock);
    const connected = await connectOverHttp(core, { clock, scheme });
    /** Answers come over real sockets, so some turns of the event loop belong to every second. */
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await connected.quiet();
    };
    try {
      await body({ ...world, cloud: connected.cloud, pass });
    } finally {
      await connected.close();
    }
  });
}
