/** The runners controller as a process of its own: `./macfleet runners --dispatch-url … --sessions-url …`. */
import './require-node.js';
import { FleetError } from '../src/base/errors.ts';
import { Secret } from '../src/base/secret.ts';
import { createDispatcher } from '../src/dispatch/adapter/create-dispatcher.ts';
import { createHttpDispatchTransport } from '../src/dispatch/adapter/http-transport.ts';
import { LEASE_NAMES } from '../src/kinds/names.ts';
import { createRunners } from '../src/runners/create-runners.ts';
import { serveHealth } from '../src/world/manager-health.ts';
import { parseRunnersFlags } from '../src/world/runners-flags.ts';
import { openController } from './open-controller.ts';
import { openProcess, runToEnd } from './process-io.ts';

const program = openProcess();
const { args, io } = program;

const run = async (closing: AsyncDisposableStack): Promise<void> => {
  const flags = parseRunnersFlags(args, io.env);
  const {
    host,
    lease,
    config: _config,
    ...opened
  } = await openController(io, flags, {
    leading: { leaseName: LEASE_NAMES.runners, homeNamespace: flags.namespace, rivals: 'refused' },
    closing,
  });
  const http = createHttpDispatchTransport();
  closing.defer(http.close);
  const { sessionsUrl, scalingUrl, tokenFile, namespace, guests } = flags;
  const token = async (): Promise<Secret<string>> => {
    const text = (await host.readText(tokenFile))?.trim() ?? '';
    if (text !== '') return new Secret(text);
    throw new FleetError('denied', {
      code: 'NoDispatchToken',
      message: `there is no token in ${tokenFile}`,
      hint: 'Mount the token of the ServiceAccount, or name its file with --dispatch-token-file.',
    });
  };
  const { clock, metrics, logger } = opened;
  const manager = createRunners({
    ...{ ...opened, namespace, guests },
    dispatcher: createDispatcher({ transport: http.send, clock, token, scalingUrl, sessionsUrl }),
    sessions: sessionsUrl === undefined ? 'none' : 'reported',
    signals: scalingUrl === undefined ? 'none' : 'asked',
    ...(lease === undefined ? {} : { lease }),
  });
  const { notReadyBecause } = manager;
  closing.use(await serveHealth(flags, { metrics, notReadyBecause, logger }));
  await manager.run(io.signal);
};

await runToEnd(program, run);
