/**
 * The order of measuring: ours, peer, ours, peer, a fresh process each, so that whatever else this machine does hits
 * both alike. A peer that fails once is given up; ours may not fail.
 */
import { messageOf } from '../src/base/errors.ts';
import type { Benchmark, Sample, SideName } from './benchmark.ts';
import type { Measurement } from './judge.ts';

export interface MeasureDeps {
  readonly rounds: number;
  /** Runs one side in a process of its own. */
  readonly runSide: (side: SideName) => Promise<Sample>;
  readonly report: (line: string) => void;
}

export const measure = async (benchmark: Benchmark, deps: MeasureDeps): Promise<Measurement> => {
  const ours: Sample[] = [];
  const peer: Sample[] = [];
  let isPeerThere = benchmark.peer !== undefined;
  const run = async (side: SideName, round: number): Promise<Sample> => {
    const sample = await deps.runSide(side);
    deps.report(`${benchmark.id}: round ${round} of ${deps.rounds}, ${side}: ${renderSample(sample)}`);
    return sample;
  };
  for (let round = 1; round <= deps.rounds; round += 1) {
    ours.push(await run('ours', round));
    if (!isPeerThere) continue;
    try {
      peer.push(await run('peer', round));
    } catch (error) {
      isPeerThere = false;
      deps.report(`${benchmark.id}: the peer is not measured: ${messageOf(error)}`);
    }
  }
  // Half the rounds of one side against all of the other would be no comparison.
  return { ours, peer: isPeerThere ? peer : [] };
};

const renderSample = (sample: Sample): string =>
  Object.entries(sample)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join('; ');
