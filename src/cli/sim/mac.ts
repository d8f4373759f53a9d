/** The work behind `macfleet sim mac`: simulated Macs behind real SSH ports, until the person stops them. */
import { createSystemClock } from '../../base/clock.ts';
import { createSystemRandom } from '../../base/random.ts';
import { findMacScenario, type MacScenario } from '../../sim/mac/bash/scenarios.ts';
import { type MacKind, type ServedMacs, serveMacs } from '../../sim/mac/bash/serve-macs.ts';
import type { CliIo } from '../io.ts';
import { untilStopped } from './until-stopped.ts';

export interface SimMacFlags {
  readonly count: number;
  readonly port: number;
  readonly speed: number;
  readonly kind?: MacKind;
  readonly scenario?: string;
}

export const runSimMac = async ({ scenario: name, ...flags }: SimMacFlags, io: CliIo): Promise<void> => {
  const scenario = name === undefined ? undefined : findMacScenario(name);
  const served = await serveMacs({
    ...{ clock: createSystemClock(), random: createSystemRandom(), ...flags },
    ...(scenario === undefined ? {} : { scenario }),
  });
  try {
    io.stdout(`${renderWelcome(served, scenario)}\n`);
    await untilStopped(io.signal);
    io.stdout('Stopping.\n');
  } finally {
    await served.close();
  }
};

const KINDS: Readonly<Record<ServedMacs['kind'], string>> = {
  'real-bash':
    'They run real bash in a sandbox of their own, on a disk of their own; what only macOS has is answered by a model.',
  'step-level': 'They are step-level: they answer our own steps and run no command of yours',
};

const BETTER =
  'For real bash: as root, or behind `unshare --user --map-root-user --map-auto`, on Linux with bubblewrap and zsh.';

const renderLogins = ({ macs, keyPath, configPath }: ServedMacs): readonly string[] => [
  'Log in:',
  ...macs.map(({ name }) => `  ssh -F ${configPath} ${name}`),
  `  ssh -i ${keyPath} -p ${macs[0]?.port} m1@127.0.0.1     # the same, written out`,
  'There, try: sw_vers; sudo pfctl -sr; launchctl list; sudo reboot',
];

const renderWelcome = (served: ServedMacs, scenario: MacScenario | undefined): string => {
  const { kind, because, macs, keyPath, passwordsPath } = served;
  const hosts = macs.map(({ port }) => `127.0.0.1:${port}`).join(' ');
  return [
    `${macs.length} simulated ${macs.length === 1 ? 'Mac' : 'Macs'}. No real Mac is touched.`,
    because === undefined ? KINDS[kind] : `${KINDS[kind]}: ${because}.`,
    ...(scenario === undefined ? [] : [`Scenario ${scenario.name}: ${scenario.about}.`]),
    '',
    ...macs.map(({ name, port, password }) => `${name}  127.0.0.1:${port}  user m1, password ${password.reveal()}`),
    '',
    `Key:     ${keyPath}`,
    ...(kind === 'real-bash' ? renderLogins(served) : [BETTER]),
    'Prepare them for a controller:',
    `  macfleet prepare-fleet-host ${hosts} --identity ${keyPath} --password-file ${passwordsPath}`,
    'Ctrl-C stops them, and their disks are gone.',
    '',
  ].join('\n');
};
