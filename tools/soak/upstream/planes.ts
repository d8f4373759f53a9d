/** The control planes that the suite can be run on: ours as the process that a person starts, and the real one. */
import { once } from 'node:events';
import { join } from 'node:path';
import { FleetError } from '../../../src/base/errors.ts';
import { startCluster } from '../../../test/cluster/bench.ts';
import { spawnGuarded } from '../../processes/guarded.ts';

export type PlaneName = 'embedded' | 'real';

export interface Plane {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

const PROGRAM = join(import.meta.dirname, '..', '..', '..', 'bin', 'macfleet.ts');

/** Keeps its data in `dir`. */
const startEmbedded = async (dir: string): Promise<Plane> => {
  const data = join(dir, 'plane');
  const { child, stop } = spawnGuarded({
    path: process.execPath,
    args: [PROGRAM, 'control-plane', '--data', data],
    env: { PATH: process.env['PATH'] ?? '', HOME: dir },
    stdin: 'ignore',
    output: 'pipe',
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('kubeconfig: ')) child.emit('ready');
  });
  const outcome = await Promise.race([
    once(child, 'ready').then(() => 'ready' as const),
    once(child, 'exit').then(() => 'ended' as const),
  ]);
  if (outcome === 'ended')
    throw new FleetError('unavailable', {
      code: 'ControlPlaneEnded',
      message: `the control plane ended before it was ready: ${said}`,
      hint: 'Start it by hand: ./macfleet control-plane.',
    });
  return { kubeconfig: join(data, 'kubeconfig'), stop };
};

export const startPlane = (name: PlaneName, dir: string): Promise<Plane> =>
  name === 'embedded' ? startEmbedded(dir) : startCluster({ parts: 'kubernetes' });
