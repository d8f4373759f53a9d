/**
 * What a simulated Pod does, told by an annotation of it: how long it takes to start, how long it runs, how it ends. The
 * whole course of a Pod is a function of the time at which its Node accepted it; nothing else is remembered.
 */
import { FleetError } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { PodMoment } from './pod-moment.ts';

export const SCRIPT_ANNOTATION = 'sim.macfleet.dev/script';

export interface PodScript {
  readonly startMs: number;
  readonly runMs: number;
  readonly exitCode: number;
  /** How long it takes to stop when it is deleted. */
  readonly stopMs: number;
}

const DEFAULT_SCRIPT: PodScript = { startMs: 300, runMs: 2_000, exitCode: 0, stopMs: 100 };

/** Fields that are left out keep their default. Throws `invalid` on anything else that is no script. */
export const parseScript = (text: string | undefined): PodScript => {
  if (text === undefined) return DEFAULT_SCRIPT;
  const given = parseJson(text);
  for (const [field, value] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_SCRIPT, field)) throw badScript(`"${field}" is no field of a script`);
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw badScript(`"${field}" must be a whole number from 0 on, not ${JSON.stringify(value)}`);
    }
  }
  return { ...DEFAULT_SCRIPT, ...given };
};

const parseJson = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw badScript('it is not JSON', cause);
  }
  throw badScript('it is no JSON object');
};

const badScript = (why: string, cause?: unknown): FleetError =>
  new FleetError('invalid', {
    code: 'BadPodScript',
    message: `the annotation ${SCRIPT_ANNOTATION} cannot be followed: ${why}`,
    hint: `Write it like {"startMs":300,"runMs":2000,"exitCode":0}.`,
    cause,
  });

/** Where in its script a Pod is that was accepted at `acceptedMs`. A Pod that always restarts never ends. */
export const planMoment = (
  pod: Pod,
  script: PodScript,
  { acceptedMs, nowMs }: { readonly acceptedMs: number; readonly nowMs: number },
): PodMoment => {
  const startedMs = acceptedMs + script.startMs;
  if (nowMs < startedMs) return { phase: 'Pending', untilMs: startedMs };
  if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return { phase: 'Running', startedMs };
  const endedMs = startedMs + script.runMs;
  if (nowMs < endedMs) return { phase: 'Running', startedMs, untilMs: endedMs };
  const { exitCode } = script;
  return { phase: exitCode === 0 ? 'Succeeded' : 'Failed', startedMs, endedMs, exitCode };
};
