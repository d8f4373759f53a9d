/**
 * Entry of the process that measures one side of one benchmark once: `side.ts <id> <ours|peer> [address as JSON]`. Says
 * `{"sample": …}` or `{"failed": "why"}`, and ends whatever the measured code still holds open.
 */
import { messageOf } from '../../src/base/errors.ts';
import { parseApiAddress } from '../api-server/address.ts';
import type { Benchmark, Sample, SideName } from '../benchmark.ts';
import { BENCHMARKS } from '../benchmarks.ts';
import { endWithParent } from './end-with-parent.ts';

const runSide = async (benchmark: Benchmark, side: SideName, address: string | undefined): Promise<Sample> => {
  const sample =
    benchmark.load === undefined
      ? await benchmark[side]?.()
      : await benchmark[side]?.(parseApiAddress(JSON.parse(address ?? '')));
  if (sample === undefined) throw new TypeError(`${benchmark.id} has no side called ${side}`);
  return sample;
};

const main = async ([id, side, address]: readonly string[]): Promise<Sample> => {
  const benchmark = BENCHMARKS.find((candidate) => candidate.id === id);
  if (benchmark === undefined || (side !== 'ours' && side !== 'peer')) throw new TypeError('no such side');
  return runSide(benchmark, side, address);
};

endWithParent();
const said = await main(process.argv.slice(2)).then(
  (sample) => ({ sample }),
  (error: unknown) => ({ failed: messageOf(error) }),
);
process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit());
