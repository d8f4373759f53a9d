/**
 * A process that holds a cluster, or in its place two cheap guarded processes, for the tests that end such a process:
 * `node holder.ts <temporary directory> <cluster|stand-in> <waits|throws|returns>`. Says the directory when all runs, and
 * then ends as it was told to: never by calling `stop`.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '../../../src/base/clock.ts';
import { FleetError } from '../../../src/base/errors.ts';
import { guardDirectory, spawnGuarded } from '../../../tools/processes/guarded.ts';
import { startCluster } from '../bench.ts';

const A_LONG_TIME_MS = 600_000;
const [tempDir = '', what = 'cluster', end = 'waits'] = process.argv.slice(2);

const startStandIn = (): { readonly dir: string } => {
  const dir = mkdtempSync(join(tempDir, 'stand-in-'));
  guardDirectory(dir);
  for (const name of ['one', 'two']) {
    const path = join(dir, name);
    writeFileSync(path, '');
    spawnGuarded({ path: 'tail', args: ['-f', path], env: {}, stdin: 'ignore', output: 'pipe' });
  }
  return { dir };
};

const startHeld = () =>
  what === 'cluster' ? startCluster({ parts: 'api' }, { tempDir, print: () => undefined }) : startStandIn();

const { dir } = await startHeld();
process.stdout.write(`${dir}\n`);
if (end === 'throws') throw new FleetError('bug', { code: 'OnPurpose', message: 'the test wants it so' });
if (end === 'waits') createSystemClock().schedule(A_LONG_TIME_MS, () => undefined);
