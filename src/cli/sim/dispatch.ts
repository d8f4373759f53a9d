/** The work behind `macfleet sim dispatch`: a simulated job dispatcher on two ports, until the person stops it. */
import { type Clock, createSystemClock } from '../../base/clock.ts';
import { createLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { type ClusterConnection, connectCluster } from '../../kube/client/connect.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { loadKubeconfig } from '../../kube/client/login/load-cluster.ts';
import type { Account } from '../../sim/dispatch/cluster-view.ts';
import { createKubeView } from '../../sim/dispatch/kube-view.ts';
import { CONTROLLER_TOKEN, createNoCluster } from '../../sim/dispatch/no-cluster.ts';
import { renderEntry } from '../../sim/dispatch/render-entry.ts';
import { type ServedDispatch, serveDispatch } from '../../sim/dispatch/serve-dispatch.ts';
import { createSimDispatch, type SimDispatch } from '../../sim/dispatch/sim-dispatch.ts';
import type { CliIo } from '../io.ts';
import { untilStopped } from './until-stopped.ts';

export interface SimDispatchFlags {
  readonly port: number;
  readonly controlPort: number;
  readonly speed: number;
  readonly jobs: number;
  readonly pool: string;
  readonly protocol: 1 | 2;
  readonly fault: readonly string[];
  readonly controller: Account;
  readonly kubeconfig?: string;
}

export const runSimDispatch = async (flags: SimDispatchFlags, io: CliIo): Promise<void> => {
  const clock = createSystemClock();
  const say = (text: string): void => io.stdout(`${text}\n`);
  const { protocol, speed, controller, port, controlPort } = flags;
  const cluster = flags.kubeconfig === undefined ? undefined : await connect(flags.kubeconfig, { clock, io });
  try {
    const dispatch = createSimDispatch({
      ...{ clock, random: createSystemRandom(), timeScale: 1 / speed, protocol, controller },
      view: cluster === undefined ? createNoCluster(controller) : createKubeView(cluster.client),
    });
    for (const fault of flags.fault) dispatch.switchOn(fault);
    dispatch.onEntry((entry) => say(renderEntry(entry)));
    await serveUntilStopped({ ...{ dispatch, clock, port, controlPort, say }, welcome: flags }, io.signal);
  } finally {
    await cluster?.close();
  }
};

const connect = async (
  path: string,
  { clock, io }: { readonly clock: Clock; readonly io: CliIo },
): Promise<ClusterConnection> => {
  const host = createHostIo();
  const logger = createLogger({ clock, level: 'warn', destination: { write: io.stderr } });
  return connectCluster(await loadKubeconfig({ path }, host), { host, clock, logger, random: createSystemRandom() });
};

interface Serving {
  readonly dispatch: SimDispatch;
  readonly clock: Clock;
  readonly port: number;
  readonly controlPort: number;
  readonly say: (text: string) => void;
  readonly welcome: SimDispatchFlags;
}

const serveUntilStopped = async ({ say, welcome, ...serving }: Serving, signal: AbortSignal): Promise<void> => {
  const { dispatch } = serving;
  const served = await serveDispatch(serving);
  try {
    say(renderWelcome(served, welcome));
    for (let at = 0; at < welcome.jobs; at += 1) dispatch.queue({ pool: welcome.pool });
    await untilStopped(signal);
    say('Stopping.');
  } finally {
    dispatch.stop();
    await served.close();
  }
};

const renderWelcome = ({ environment, controlUrl, url }: ServedDispatch, flags: SimDispatchFlags): string => {
  const { speed, protocol, kubeconfig, pool, fault, controller } = flags;
  const dispatchUrl = environment['TUIST_RUNNER_DISPATCH_URL'] ?? '';
  return [
    `A simulated job dispatcher, ${speed === 1 ? '' : `${speed} times `}as fast as life; it speaks protocol ${protocol}${protocol === 1 ? ', that of the original' : ''}.`,
    'No real account is touched, and no real job is run.',
    ...(fault.length === 0 ? [] : [`Faults: ${fault.join(', ')}.`]),
    '',
    `API:      ${url}`,
    `Control:  ${controlUrl}`,
    '',
    'For the runners controller:',
    ...Object.entries(environment).map(([name, value]) => `  export ${name}=${value}`),
    '',
    'Try in another terminal:',
    `  curl ${controlUrl}/jobs -d '{"pool": "${pool}", "count": 3, "seconds": 60}'    # three jobs of a minute each`,
    ...(kubeconfig === undefined
      ? [
          `  curl -X POST -H 'Authorization: Bearer runner:${pool}/pod-1' ${dispatchUrl}`,
          `  curl -H 'Authorization: Bearer ${CONTROLLER_TOKEN}' '${environment['TUIST_SCALING_SIGNALS_URL']}?fleet=${pool}'`,
          `There is no cluster: runner:<pool>/<pod> and ${CONTROLLER_TOKEN} are good tokens. --kubeconfig asks a real one.`,
        ]
      : [`Tokens are those of the cluster; the controller is ${controller.namespace}/${controller.name}.`]),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
};
