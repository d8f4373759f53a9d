/**
 * What a step looks like on a Mac, as a number. The Mac records a step's digest when the step was verified; another digest
 * means that it has to be applied again. A step's digest covers what the steps before it bring, so that the agent is started
 * again on a new bundle even if whoever put the bundle there died at once.
 */
import { createHash } from 'node:crypto';
import type { StepFiles } from './program/compose.ts';
import type { Step } from './step.ts';

export interface DigestInputs {
  readonly steps: readonly Step[];
  readonly files: Pick<StepFiles, 'lib' | 'steps'>;
  /** By name, for all steps. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Checksums, by the artefact's name. */
  readonly artefactSums: Readonly<Record<string, string>>;
}

export interface StepDigests {
  /** What each step is recorded under, with the values of this host. */
  readonly byStep: Readonly<Record<string, string>>;
  /** Over all steps without the values of one host: the same for a whole fleet. */
  readonly fleet: string;
}

export const digestSteps = (given: DigestInputs): StepDigests => {
  const ofFleet = new Map<string, string>();
  const byStep: Record<string, string> = {};
  for (const step of given.steps) {
    ofFleet.set(step.id, digestStep(given, step, ofFleet, ['fleet']));
    byStep[step.id] = digestStep(given, step, ofFleet, ['fleet', 'host']);
  }
  return { byStep, fleet: digest([...ofFleet].sort(byName)) };
};

type Scope = Step['inputs'][string]['scope'];

/** Steps come after what they need, so that its digest is known. */
const digestStep = (
  { files, inputs, artefactSums }: DigestInputs,
  step: Step,
  ofNeeds: ReadonlyMap<string, string>,
  scopes: readonly Scope[],
): string =>
  digest([
    ...[step.id, files.lib, files.steps[step.id] ?? ''],
    Object.entries(step.inputs)
      .filter(([, { scope }]) => scopes.includes(scope))
      .map(([name, { fallback }]) => [name, inputs[name] ?? fallback ?? ''] as const)
      .sort(byName),
    step.artefacts.map((name) => [name, artefactSums[name] ?? ''] as const).sort(byName),
    step.needs.map((need) => [need, ofNeeds.get(need) ?? ''] as const).sort(byName),
  ]);

const byName = ([left]: readonly [string, string], [right]: readonly [string, string]): number =>
  left < right ? -1 : Number(left > right);

const digest = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');
