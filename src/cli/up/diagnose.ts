/** Why a fleet is not yet where it was to be: each that waits, and for what. Pure. */
import type { FleetPicture } from './fleet-picture.ts';

const LINES_MAX = 12;

export const diagnose = ({ macs, work, pods, jobs }: FleetPicture): readonly string[] => {
  const lines = [
    ...(macs.length === 0 ? ['No Mac has been found at the cloud yet.'] : []),
    ...macs
      .filter(({ state, node }) => state !== 'free' && (state !== 'joined' || node !== 'Ready'))
      .map(({ mac, state, step, waitsFor }) =>
        say(`Mac ${mac} is ${state}${step === '' ? '' : ` (${step})`}`, waitsFor),
      ),
    ...work.filter(({ ready }) => !isWhole(ready)).map(({ work: name, ready }) => `${name} is at ${ready}.`),
    ...pods
      .filter(({ state }) => state === 'Pending')
      .map(({ pod, waitsFor }) => say(`Pod ${pod} is pending`, waitsFor)),
    ...jobs.filter(({ state }) => state === 'queued').map(({ job }) => `CI job ${job} waits for a runner.`),
  ];
  if (lines.length <= LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), `… and ${lines.length - LINES_MAX} more.`];
};

const say = (what: string, waitsFor: string): string =>
  waitsFor === '' ? `${what}, and says no more.` : `${what}: ${waitsFor}`;

const isWhole = (ready: string): boolean => {
  const [, got, wanted] = /^(\d+)\/(\d+) /.exec(ready) ?? [];
  return got !== undefined && Number(got) >= Number(wanted);
};
