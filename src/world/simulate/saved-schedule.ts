/**
 * A schedule as a file that outlives changes of the code: disturbances by their ids, faults by the actor, the kind of call and
 * the name of the fault, and only what is left (delays, the order of simultaneous events) by its place in a list.
 */
import { z } from 'zod';
import { FleetError } from '../../base/errors.ts';
import { type ChoiceList, packZeros, parseChoices, unpackZeros } from '../../sim/kernel/choices.ts';
import { CALL_FAULTS, STREAM_FAULTS } from '../../sim/kernel/network.ts';
import type { Schedule } from './run-seed.ts';
import { REPLAYED_NETWORK, type SwarmProfile } from './swarm-profile.ts';

export interface SavedSchedule {
  /** What it showed when it was recorded, or is about. */
  readonly story: string;
  /** The promise that it broke then; absent for a day that was made up by hand. */
  readonly broke?: string;
  /** The mutant that is needed for it; absent when our own code was at fault. */
  readonly mutant?: string;
  readonly schedule: Schedule;
}

const wholeNumber = z.number().int().nonnegative();
const fault = z.strictObject({
  actor: z.string(),
  /** Such as `cloud:PATCH`. */
  call: z.string(),
  /** Which one of the calls of that kind by that actor, from 0. */
  number: wholeNumber,
  fault: z.enum([...CALL_FAULTS, ...STREAM_FAULTS]),
});
const file = z.strictObject({
  story: z.string(),
  broke: z.string().optional(),
  mutant: z.string().optional(),
  profile: z.strictObject({
    mode: z.enum(['safety', 'liveness']),
    managers: z.array(z.string()).min(1),
    machines: wholeNumber,
    lease: z.literal('brisk').optional(),
    tiers: z.literal('off').optional(),
    agents: z.literal('tart-kubelet').optional(),
  }),
  strikes: z.array(z.strictObject({ atMs: wholeNumber, id: z.string(), details: z.array(wholeNumber) })),
  faults: z.array(fault),
  choices: z.record(z.string(), z.array(z.number())),
});

export type CallFaultAt = z.infer<typeof fault>;

export const renderSavedSchedule = ({ story, broke, mutant, schedule }: SavedSchedule): string => {
  const { profile, strikes, choices } = schedule;
  const { network: _network, weights: _weights, ...kept } = profile;
  const sites = Object.entries(choices);
  const faults = faultsOf(choices);
  const others = Object.fromEntries(sites.filter(([site, packed]) => toFaults(site, packed) === undefined));
  const parts = {
    story,
    ...(broke && { broke }),
    ...(mutant && { mutant }),
    profile: kept,
    strikes,
    faults,
    choices: others,
  };
  return `${renderLines(parts)}\n`;
};

/** JSON with one line for each item, so that a change of one reads as such. */
const renderLines = (parts: Readonly<Record<string, unknown>>): string => {
  const lines = Object.entries(parts).map(([name, part]) => {
    const items =
      Array.isArray(part) && part.length > 0 ? part.map((item) => `    ${JSON.stringify(item)}`) : undefined;
    return `  ${JSON.stringify(name)}: ${items === undefined ? JSON.stringify(part) : `[\n${items.join(',\n')}\n  ]`}`;
  });
  return `{\n${lines.join(',\n')}\n}`;
};

export const parseSavedSchedule = (text: string): SavedSchedule => {
  try {
    const { story, broke, mutant, profile, strikes, faults, choices } = file.parse(JSON.parse(text));
    return {
      ...{ story, ...(broke !== undefined && { broke }), ...(mutant !== undefined && { mutant }) },
      schedule: {
        profile: toProfile(profile),
        strikes,
        choices: { ...parseChoices(JSON.stringify(choices)), ...toChoices(faults) },
      },
    };
  } catch (cause) {
    throw new FleetError('invalid', {
      code: 'BadSchedule',
      message: 'the recorded schedule cannot be read',
      hint: 'Pass a file that `npm run simulate -- --save` wrote.',
      cause,
    });
  }
};

const toProfile = ({ lease, tiers, agents, ...kept }: z.infer<typeof file>['profile']): SwarmProfile => ({
  ...{ ...kept, network: REPLAYED_NETWORK, weights: [] },
  ...(lease && { lease }),
  ...(tiers && { tiers }),
  ...(agents && { agents }),
});

/** What went wrong with single calls, by name. */
export const faultsOf = (choices: ChoiceList): readonly CallFaultAt[] =>
  Object.entries(choices).flatMap(([site, packed]) => toFaults(site, packed) ?? []);

const SITE = /^fault (?<call>\S+) by (?<actor>.+)$/;

const namesOf = (call: string): readonly CallFaultAt['fault'][] =>
  call.endsWith(':body') ? STREAM_FAULTS : CALL_FAULTS;

/** The faults of one site of the recorded choices; undefined when it decides something else. */
const toFaults = (site: string, packed: readonly number[]): readonly CallFaultAt[] | undefined => {
  const { call, actor } = SITE.exec(site)?.groups ?? {};
  if (call === undefined || actor === undefined) return undefined;
  return unpackZeros(packed).flatMap((value, number) => {
    const name = namesOf(call)[value - 1];
    return name === undefined ? [] : [{ actor, call, number, fault: name }];
  });
};

const toChoices = (faults: readonly CallFaultAt[]): ChoiceList => {
  const sites = new Map<string, number[]>();
  for (const { actor, call, number, fault: name } of faults) {
    const site = `fault ${call} by ${actor}`;
    const values = sites.get(site) ?? [];
    while (values.length < number) values.push(0);
    values[number] = namesOf(call).indexOf(name) + 1;
    sites.set(site, values);
  }
  return Object.fromEntries(Array.from(sites, ([site, values]) => [site, packZeros(values)]));
};
