/** The contract between the controller's client and the simulated dispatcher: in process, on the kernel, over HTTP. */
import { createSystemClock } from '../../../src/base/clock.ts';
import { createManualClock } from '../../../src/base/testing/manual-clock.ts';
import { createHttpDispatchTransport } from '../../../src/dispatch/adapter/http-transport.ts';
import { serveDispatch } from '../../../src/sim/dispatch/serve-dispatch.ts';
import { createKernelDispatchTransport, createSimDispatchTransport } from '../../../src/sim/dispatch/transports.ts';
import { createKernel } from '../../../src/sim/kernel/kernel.ts';
import { createContractDispatch, testDispatchContract } from './dispatch-contract.ts';

const ORIGIN = 'http://dispatch.test';

testDispatchContract('in process', (protocol, body) => {
  const clock = createManualClock();
  const dispatch = createContractDispatch(clock, protocol);
  return body({
    dispatch,
    clock,
    origin: ORIGIN,
    transport: createSimDispatchTransport(dispatch, { clock, caller: 'test' }),
  });
});

testDispatchContract('on the kernel', async (protocol, body) => {
  const kernel = createKernel({ seed: 1 });
  const dispatch = createContractDispatch(kernel.actor('dispatcher').clock, protocol);
  kernel.boot('controller', async (actor) => {
    const transport = createKernelDispatchTransport(dispatch, actor);
    await body({ dispatch, clock: actor.clock, origin: ORIGIN, transport });
  });
  await kernel.run({ maxEvents: 10_000, maxVirtualMs: 3_600_000 });
});

testDispatchContract('over HTTP', async (protocol, body) => {
  const clock = createSystemClock();
  const dispatch = createContractDispatch(clock, protocol);
  const served = await serveDispatch({ clock, dispatch });
  const http = createHttpDispatchTransport();
  try {
    await body({ dispatch, clock, origin: served.url, transport: http.send });
  } finally {
    await http.close();
    await served.close();
  }
});
