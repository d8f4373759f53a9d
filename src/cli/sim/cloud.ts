/** The work behind `macfleet sim cloud`: a simulated Scaleway project on two ports, until the person stops it. */
import { createSystemClock } from '../../base/clock.ts';
import { createSystemRandom } from '../../base/random.ts';
import { SIMULATED_KEY } from '../../scaleway/port/simulated-key.ts';
import type { AuditEntry } from '../../sim/cloud/call-log.ts';
import type { PowerEvent } from '../../sim/cloud/cloud-core.ts';
import { type ServedCloud, serveCloud } from '../../sim/cloud/serve-cloud.ts';
import { createSimCloud, type SimCloud } from '../../sim/cloud/sim-cloud.ts';
import type { CliIo } from '../io.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { findScenario } from './scenarios.ts';
import { untilStopped } from './until-stopped.ts';

export interface SimCloudFlags {
  readonly port: number;
  readonly controlPort: number;
  readonly servers: number;
  readonly speed: number;
  readonly callsKept: number;
  readonly state?: string;
  readonly scenario?: string;
}

export const runSimCloud = async (flags: SimCloudFlags, io: CliIo): Promise<void> => {
  const scenario = flags.scenario === undefined ? undefined : findScenario(flags.scenario);
  const clock = createSystemClock();
  const say = (text: string): void => io.stdout(`${text}\n`);
  const keeper: Keeper | undefined =
    flags.state === undefined ? undefined : createKeeper({ clock, path: flags.state, save: () => cloud.save() });
  const saved = keeper?.read();
  const cloud: SimCloud = createSimCloud({
    ...{ clock, random: createSystemRandom(), timeScale: 1 / flags.speed, apiKeys: [SIMULATED_KEY] },
    callsKept: flags.callsKept,
    onWrite: (entry) => say(renderWrite(entry)),
    onChange: () => keeper?.changed(),
    ...(saved === undefined ? {} : { saved }),
  });
  if (saved === undefined) addServers(cloud, flags.servers);
  scenario?.apply(cloud);
  cloud.onPower((event) => say(renderPower(event, clock.now())));
  const save = keeper === undefined ? {} : { save: keeper.save };
  try {
    // A place where nothing can be kept is told before anybody relies on it.
    keeper?.save();
    const served = await serveCloud({ ...{ clock, cloud, port: flags.port, controlPort: flags.controlPort }, ...save });
    try {
      say(
        renderWelcome(served, {
          ...flags,
          servers: cloud.servers().length,
          origin: saved === undefined ? 'new' : 'kept',
        }),
      );
      await untilStopped(io.signal);
      say('Stopping.');
    } finally {
      await served.close();
    }
  } finally {
    cloud.stop();
    keeper?.close();
  }
};

const addServers = (cloud: SimCloud, count: number): void => {
  for (let at = 1; at <= count; at += 1) cloud.addServer({ name: `tuist-pool-${at}` });
};

interface Welcome extends SimCloudFlags {
  readonly origin: 'new' | 'kept';
}

const renderWelcome = ({ apiUrl, controlUrl, environment }: ServedCloud, welcome: Welcome): string => {
  const { servers, speed, origin, state, scenario } = welcome;
  const exports = Object.entries(environment).map(([name, value]) => `  export ${name}=${value}`);
  return [
    `A simulated Scaleway project with ${servers} ${servers === 1 ? 'server' : 'servers'}${origin === 'kept' ? `, as ${state} has it` : ''}, ${speed === 1 ? '' : `${speed} times `}as fast as life.`,
    'No real account is touched, and nothing here costs anything.',
    ...(scenario === undefined ? [] : [`Scenario: ${scenario}.`]),
    '',
    `API:      ${apiUrl}`,
    `Control:  ${controlUrl}`,
    '',
    "For Scaleway's own clients (scw, Terraform, the SDKs):",
    ...exports,
    '',
    'Try in another terminal:',
    `  curl -H "X-Auth-Token: $SCW_SECRET_KEY" ${apiUrl}/apple-silicon/v1alpha1/zones/${environment['SCW_DEFAULT_ZONE']}/servers`,
    `  curl ${controlUrl}/servers                              # the truth, with the count of wipes`,
    `  curl ${controlUrl}/faults -d '{"fault": "F05", "count": 3}'   # the next three calls meet a 429`,
    'Ctrl-C stops it.',
    '',
  ].join('\n');
};

const timeOf = (atMs: number): string => new Date(atMs).toISOString().slice(11, 19);

const renderWrite = ({ atMs, verb, serverId, argument, before, outcome, caller }: AuditEntry): string => {
  const what = [verb, serverId, before === undefined ? '' : `(${JSON.stringify(before.name)}, ${before.status})`];
  const wanted = argument === '' ? '' : `→ ${JSON.stringify(argument)}`;
  return [timeOf(atMs), ...what, wanted, outcome, `by ${caller}`].filter((part) => part !== '').join(' ');
};

const renderPower = ({ kind, server }: PowerEvent, nowMs: number): string =>
  `${timeOf(nowMs)} ${server.id} (${JSON.stringify(server.name)}) ${kind}`;
