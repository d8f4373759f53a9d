/** Prepared situations of a simulated cloud, for a person who wants to see what a client does in them. */
import { FleetError } from '../../base/errors.ts';
import type { SimCloud } from '../../sim/cloud/sim-cloud.ts';

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly apply: (cloud: SimCloud) => void;
}

const AWAY_MS = 30_000;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'all-sealed',
    about: 'no server shows its password until it is reinstalled',
    apply: (cloud) => cloud.switchOn('F18c'),
  },
  { name: 'no-stock', about: 'every order is refused: out of stock', apply: (cloud) => cloud.switchOn('F27') },
  {
    name: 'retired-image',
    about: 'the newest Tahoe is sold no more; servers that have it keep it',
    apply: (cloud) => cloud.switchOn('F33'),
  },
  {
    name: 'flapping-404',
    about: 'one GET of a server in three says that it does not exist',
    apply: (cloud) => cloud.switchOn('F12', { probability: 1 / 3 }),
  },
  {
    name: 'away',
    about: `the API answers nobody for the first ${AWAY_MS / 1_000} seconds`,
    apply: (cloud) => cloud.goAway(AWAY_MS),
  },
  {
    name: 'slow-lists',
    about: 'every list of servers takes five seconds',
    apply: (cloud) => cloud.switchOn('slow', { verb: 'list' }),
  },
];

export const findScenario = (name: string): Scenario => {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new FleetError('invalid', {
    code: 'NoSuchScenario',
    message: `there is no scenario "${name}"`,
    hint: `There are: ${SCENARIOS.map((scenario) => scenario.name).join(', ')}.`,
  });
};
