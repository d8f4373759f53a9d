/** What has to be sent to a Mac, and in how many batches: pure, from the steps and from what a survey of the Mac found. */
import { FleetError } from '../base/errors.ts';
import type { HostFacts, StepAnswer, StepCall } from './port.ts';
import type { Step } from './step.ts';

export interface PlannedStep {
  readonly step: Step;
  /** `verify` for one that is as wanted, not recorded as such, and cannot be applied. */
  readonly do: Exclude<StepCall['do'], 'check'>;
}

/** Steps that run side by side. */
export type Wave = readonly PlannedStep[];

export interface WavePlan {
  /** In order. */
  readonly waves: readonly Wave[];
  /** Names of artefacts that the Mac lacks. */
  readonly uploads: readonly string[];
}

export interface WaveInputs {
  /** In an order in which each comes after what it needs. */
  readonly steps: readonly Step[];
  readonly survey: { readonly facts: HostFacts; readonly steps: readonly StepAnswer[] };
  /** What each is to be recorded under; nothing for one that leaves no record. */
  readonly digests: Readonly<Record<string, string>>;
  /** Names of the secrets that are known. */
  readonly secrets: readonly string[];
  /** Checksums, by the artefact's name. */
  readonly artefactSums: Readonly<Record<string, string>>;
}

/** Throws `unavailable` for a step that has to be applied and cannot be, before anything was changed. */
export const planWaves = (given: WaveInputs): WavePlan => {
  const planned: PlannedStep[] = [];
  for (const step of given.steps) planned.push(...planStep(given, step, planned));
  const levels = new Map<string, number>();
  for (const { step } of planned) levels.set(step.id, levelOf(step, levels));
  const deepest = Math.max(-1, ...levels.values());
  const waves = Array.from({ length: deepest + 1 }, (_, level) =>
    planned.filter(({ step }) => levels.get(step.id) === level),
  );
  const applied = planned.filter((one) => one.do === 'converge').flatMap(({ step }) => step.artefacts);
  const missing = ({ facts }: WaveInputs['survey'], name: string): boolean =>
    !facts.artefacts.includes(given.artefactSums[name] ?? '');
  return { waves, uploads: [...new Set(applied)].filter((name) => missing(given.survey, name)) };
};

/** Waves that are sent as one batch, whose stages they are: a second one begins with the first wave that waits for an upload. */
export const groupWaves = ({ waves, uploads }: WavePlan): readonly (readonly Wave[])[] => {
  const at = waves.findIndex((wave) => wave.some(({ step }) => step.artefacts.some((name) => uploads.includes(name))));
  return [waves.slice(0, Math.max(0, at)), waves.slice(Math.max(0, at))].filter((group) => group.length > 0);
};

/** Within its stage the Mac itself runs it first. */
const COMES_FIRST = 'first-look';

const levelOf = ({ needs }: Step, levels: ReadonlyMap<string, number>): number =>
  Math.max(0, ...needs.map((need) => (levels.get(need) ?? -1) + (need === COMES_FIRST ? 0 : 1)));

const planStep = (given: WaveInputs, step: Step, before: readonly PlannedStep[]): readonly PlannedStep[] => {
  const answer = given.survey.steps.find((one) => one.step === step.id);
  const isAsWanted = answer?.phases.at(-1)?.exitCode === 0;
  const isLeftBehind = before.some((one) => one.do === 'converge' && step.follows.includes(one.step.id));
  if (isAsWanted && !isLeftBehind && (answer?.recorded ?? '') === (given.digests[step.id] ?? '')) return [];
  const unknown = step.secretInputs.find((name) => !given.secrets.includes(name));
  if (unknown === undefined) return [{ step, do: 'converge' }];
  if (isAsWanted) return [{ step, do: 'verify' }];
  throw secretUnknown(step, unknown);
};

/** As runbooks of the original know it. */
export const MISSING_PASSWORD = 'MissingSudoPassword';

const secretUnknown = ({ id }: Step, secret: string): FleetError =>
  new FleetError('unavailable', {
    code: secret === 'sudoPassword' ? MISSING_PASSWORD : 'StepSecretUnknown',
    message: `step ${id} has to be applied and needs ${secret}, which is not known`,
    hint: 'For a sealed password wait until Scaleway shows it, reinstall the Mac, or run `macfleet prepare-fleet-host`.',
    details: { step: id, secret },
  });
