/**
 * The bundle for tests, which are to run what Macs get and not its sources. A tier makes it once and tells the processes of its files by a
 * variable; a file that is run by itself makes its own. It lies in the project, which simulated Macs see too.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleKubelet } from './bundle.ts';
import { checkBundle } from './check-bundle.ts';

/** The path of the agent that tests start. */
export const AGENT_VARIABLE = 'MACFLEET_KUBELET';

/** Those that no run of today may use are taken away. */
const KEPT_MS = 86_400_000;

/** Its path. Runs side by side have the same file, or each its own. */
export const shareBundle = async (project: string): Promise<string> => {
  const bundle = await bundleKubelet(project);
  checkBundle(bundle);
  const folder = join(project, 'node_modules', '.cache', 'macfleet-agent');
  await mkdir(folder, { recursive: true });
  await clear(folder);
  const path = join(folder, `${createHash('sha256').update(bundle.bytes).digest('hex').slice(0, 16)}.mjs`);
  await writeFile(`${path}.${process.pid}`, bundle.bytes);
  await rename(`${path}.${process.pid}`, path);
  return path;
};

const clear = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const madeMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - madeMs > KEPT_MS) await rm(path, { force: true });
  }
};
