/** From the flags as they were typed to those that `up` works by. Pure. */
import { FleetError } from '../../base/errors.ts';
import type { FleetName, GivenFlags, UpFlags } from './up-flags.ts';

/** Enough for every fleet to have one. */
const MACHINES = 3;
/** Simulated clouds and Macs take minutes for what a person wants to see in seconds. */
const SPEED = 100;
/** Of CI: enough to see them flow, and more where runners are all that there is to see. */
const JOBS = { beside: 8, alone: 20 } as const;
/** Of `--until`. */
const TIMEOUT_MS = 300_000;
const CHAOS_MS = 60_000;
/** A Mac is to be wiped and come back while a person watches. */
const CHAOS_SPEED = 300;

export const completeFlags = (given: GivenFlags, platform: NodeJS.Platform): UpFlags => {
  const { provider, data, clean, machines = MACHINES } = given;
  // Where the Macs are elsewhere, nobody here can run the guests of runners.
  const fleet = given.fleet ?? (provider === 'here' ? ['macos', 'runners'] : ['macos']);
  if (provider === 'elsewhere' && fleet.includes('runners')) throw runnersElsewhere();
  if (clean && data === undefined) throw nothingToClean();
  if (fleet.length > machines) throw tooFewMacs(fleet.length, machines);
  if (given.chaos) refuseWithChaos(given);
  if (given.chaos && platform !== 'linux') throw chaosElsewhere(platform);
  if ((given.until === 'verdict' || given.compare) && !given.chaos) throw noVerdict();
  refuseUnused(given, fleet);
  const jobs = given.jobs ?? (fleet.every((name) => name === 'runners') ? JOBS.alone : JOBS.beside);
  const speed = given.speed ?? (given.chaos ? CHAOS_SPEED : SPEED);
  const { timeout = TIMEOUT_MS, for: chaosMs = CHAOS_MS } = given;
  return {
    ...{ ...given, machines, isSizeGiven: given.machines !== undefined, fleet, jobs, speed, timeout, for: chaosMs },
  };
};

/** What would be ignored in silence. */
const refuseUnused = (given: GivenFlags, fleet: readonly FleetName[]): void => {
  const unused: readonly (readonly [flag: string, value: unknown, isUsed: boolean, needs: string])[] = [
    ['--for', given.for, given.chaos, '--chaos'],
    ['--seed', given.seed, given.chaos, '--chaos'],
    ['--timeout', given.timeout, given.until === 'ready' || given.until === 'jobs-done', '--until ready or jobs-done'],
    ['--jobs', given.jobs, fleet.includes('runners') && !given.chaos, '--fleet runners, and no --chaos'],
  ];
  for (const [flag, value, isUsed, needs] of unused) {
    if (value === undefined || isUsed) continue;
    throw new FleetError('invalid', {
      code: 'FlagHasNoUse',
      message: `${flag} would have no effect: it needs ${needs}`,
      hint: 'Leave it out, or add what it needs.',
    });
  }
};

const runnersElsewhere = (): FleetError =>
  new FleetError('invalid', {
    code: 'RunnersElsewhere',
    message: 'the guests of runners, and the Macs that they run on, live in this process alone',
    hint: 'Leave out --provider, or runners.',
  });

const nothingToClean = (): FleetError =>
  new FleetError('invalid', {
    code: 'NothingToClean',
    message: '--clean throws away what is in a data folder, and none was named',
    hint: 'Name it with --data; without it nothing is kept anyway.',
  });

const tooFewMacs = (fleets: number, machines: number): FleetError =>
  new FleetError('invalid', {
    code: 'TooFewMacs',
    message: `${fleets} fleets cannot share ${machines} ${machines === 1 ? 'Mac' : 'Macs'}`,
    hint: 'Ask for more with --machines, or for fewer with --fleet.',
  });

const refuseWithChaos = ({ data, provider, macsAs, until }: GivenFlags): void => {
  const strange = [
    ...(data === undefined ? [] : ['--data']),
    ...(provider === 'here' ? [] : ['--provider elsewhere']),
    ...(macsAs === 'real-bash' ? ['--macs-as real-bash'] : []),
    ...(until === undefined || until === 'verdict' ? [] : [`--until ${until}`]),
  ];
  if (strange.length === 0) return;
  throw new FleetError('invalid', {
    code: 'NotWithChaos',
    message: `--chaos does not go with ${strange.join(' and ')}`,
    hint: 'Leave it out: chaos has step-level Macs and managers of its own, keeps nothing, and ends with its verdict.',
  });
};

/** Elsewhere each address of the loopback but the first would have to be set up by root. */
const chaosElsewhere = (platform: NodeJS.Platform): FleetError =>
  new FleetError('unavailable', {
    code: 'ChaosNeedsLinux',
    message: `each Mac of the chaos has an address of the loopback of its own, which ${platform} does not give`,
    hint: 'Run it on Linux, in a container too; `macfleet up` without --chaos works here.',
  });

const noVerdict = (): FleetError =>
  new FleetError('invalid', {
    code: 'NoVerdict',
    message: 'there is a verdict on chaos only',
    hint: 'Add --chaos, or wait for ready or jobs-done.',
  });
