/** Why a fleet is not yet where it was to be: each that waits, and for what. Pure. */
import type { FleetPicture, MacRow } from './fleet-picture.ts';

const LINES_MAX = 12;

/** What counts of a fleet, beside what is seen of it. */
export interface Standing {
  /** Undefined while nobody has told. */
  readonly wantedMachines: number | undefined;
  readonly readyNodes: number;
  readonly boundMachines: number;
  /** The names of Machines that no Mac has. */
  readonly withoutMac: readonly string[];
  /** Whole sentences about what else is open. */
  readonly others?: readonly string[];
}

/** A line at least: whoever reads it waits for a reason. */
export const diagnose = (
  { macs, work, pods, jobs }: FleetPicture,
  { withoutMac, others = [], ...standing }: Standing,
): readonly string[] => {
  const lines = [
    ...(macs.length === 0 ? ['No Mac has been found at the cloud yet.'] : []),
    ...count(standing),
    ...macs.filter(isWanting).map(describeMac),
    ...withoutMac.map((machine) => `Machine ${machine} has no Mac yet.`),
    ...work.filter(({ ready }) => !isWhole(ready)).map(({ work: name, ready }) => `${name} is at ${ready}.`),
    ...pods
      .filter(({ state }) => state === 'Pending')
      .map(({ pod, waitsFor }) => say(`Pod ${pod} is pending`, waitsFor)),
    ...jobs.filter(({ state }) => !state.startsWith('done')).map(({ job, state }) => describeJob(job, state)),
    ...others,
  ];
  if (lines.length === 0) return ['Nothing is seen to wait: `macfleet status` says more of the fleet while it runs.'];
  if (lines.length <= LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), `… and ${lines.length - LINES_MAX} more.`];
};

const count = ({ wantedMachines: wanted, readyNodes, boundMachines }: Omit<Standing, 'withoutMac'>) => {
  if (wanted === undefined) return ['The API has not told yet how many Macs are wanted.'];
  return [
    ...(readyNodes >= wanted ? [] : [`${readyNodes} of ${wanted} Macs are ready Nodes.`]),
    ...(boundMachines >= wanted ? [] : [`${boundMachines} of ${wanted} Machines have their Node.`]),
  ];
};

const isWanting = ({ state, node }: MacRow): boolean => state !== 'free' && (state !== 'joined' || node !== 'Ready');

const describeMac = ({ mac, state, step, waitsFor, node }: MacRow): string => {
  const what = `Mac ${mac} is ${state}${step === '' ? '' : ` (${step})`}`;
  if (state !== 'joined' || waitsFor !== '') return say(what, waitsFor);
  return node === '-' ? `${what}, and its Node is gone.` : `${what}, and its Node is not ready: its agent is silent.`;
};

const describeJob = (job: string, state: string): string =>
  state === 'queued' ? `CI job ${job} waits for a runner.` : `CI job ${job} is ${state}.`;

const say = (what: string, waitsFor: string): string =>
  waitsFor === '' ? `${what}, and says no more.` : `${what}: ${waitsFor}`;

const isWhole = (ready: string): boolean => {
  const [, got, wanted] = /^(\d+)\/(\d+) /.exec(ready) ?? [];
  return got !== undefined && Number(got) >= Number(wanted);
};
