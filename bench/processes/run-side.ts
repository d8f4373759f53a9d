/** Measures one side once, in a fresh process. */
import { FleetError } from '../../src/base/errors.ts';
import { isRecord } from '../../src/base/json.ts';
import type { ApiAddress } from '../api-server/address.ts';
import type { Sample, SideName } from '../benchmark.ts';
import { startChild } from './child.ts';

export interface SideRequest {
  readonly id: string;
  readonly side: SideName;
  readonly api: ApiAddress | undefined;
}

export const runSideInProcess = async ({ id, side, api }: SideRequest): Promise<Sample> => {
  const child = await startChild({
    name: `${id} (${side})`,
    script: new URL('./side.ts', import.meta.url),
    args: [id, side, ...(api === undefined ? [] : [JSON.stringify(api)])],
    nodeFlags: ['--expose-gc'],
  });
  await child.stop();
  return parseSample(child.said);
};

const parseSample = (said: unknown): Sample => {
  const { sample, failed } = isRecord(said) ? said : {};
  if (isRecord(sample)) return sample as Sample;
  throw new FleetError('unavailable', { code: 'BenchSideFailed', message: String(failed) });
};
