/** From samples to figures: medians, ratio, and whether the goal is met. Pure. */
import type { Benchmark, Figure, Goal, Sample } from './benchmark.ts';

/** Everything that was measured of one benchmark, a sample per round. */
export interface Measurement {
  readonly ours: readonly Sample[];
  /** Empty when the benchmark has no peer, or when the peer could not be measured. */
  readonly peer: readonly Sample[];
}

/** One line of the result; the keys of `--json`. */
export interface FigureResult {
  readonly bench: string;
  readonly figure: string;
  readonly ours: number | null;
  readonly peer: number | null;
  /** Ours divided by the peer's. */
  readonly ratio: number | null;
  readonly goal: string | null;
  /** Null: no goal, or not measured. */
  readonly met: boolean | null;
}

export const judge = (benchmark: Benchmark, measurement: Measurement): readonly FigureResult[] =>
  benchmark.figures.map((figure) => judgeFigure(benchmark, figure, measurement));

const judgeFigure = (benchmark: Benchmark, { name, goal }: Figure, measurement: Measurement): FigureResult => {
  const ours = medianOf(measurement.ours, name);
  const peer = medianOf(measurement.peer, name);
  const ratio = ours === null || peer === null || peer === 0 ? null : rounded(ours / peer);
  const isPeerMissing = benchmark.peer !== undefined && measurement.peer.length === 0;
  return {
    bench: benchmark.id,
    figure: name,
    ours,
    peer,
    ratio,
    goal: goal === undefined ? null : renderGoal(goal),
    met: goal === undefined || isPeerMissing ? null : isMet(goal, { ours, ratio }),
  };
};

const isMet = ({ of, is, value }: Goal, figures: Readonly<Record<Goal['of'], number | null>>): boolean | null => {
  const reached = figures[of];
  if (reached === null) return null;
  if (is === '=') return reached === value;
  return is === '<=' ? reached <= value : reached >= value;
};

export const renderGoal = ({ of, is, value }: Goal): string => `${of} ${is} ${value}`;

const medianOf = (samples: readonly Sample[], name: string): number | null => {
  const values = samples.flatMap((sample) => sample[name] ?? []);
  return values.length === 0 ? null : rounded(median(values));
};

/** The middle value, or the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return (low + high) / 2;
};

/** Four digits say all that such a measurement knows; what is printed is what is judged. */
const rounded = (value: number): number => Number(value.toPrecision(4));
