/** `npm run cluster:build` from its arguments to its last line. Everything that exists and is whole is left alone. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../../src/base/abort.ts';
import { isKind } from '../../../src/base/errors.ts';
import type { CliIo } from '../../../src/cli/io.ts';
import { hasFiles, manifestsFor, outputsFor, readyPrograms, requireReady } from '../binaries.ts';
import { adopt, cacheDir, cacheRoot, findMissing, listCacheDirs, manifestsDir } from '../cache.ts';
import { hashRecipe, type OutputName } from '../recipe.ts';
import { type BuildPlan, HELP, parseBuildArguments } from './arguments.ts';
import { explainFileFailure } from './failure.ts';
import { readGoVersion } from './go.ts';
import { acquireLock } from './lock.ts';
import { makeOutput } from './make-output.ts';
import { startProgress } from './progress.ts';

export interface BuildRun {
  /** The arguments after the script's name. */
  readonly args: readonly string[];
  readonly io: CliIo;
  readonly progressEveryMs: number;
}

/** Resolves when everything asked for is there; rejects with a FleetError that says what to do. */
export const runBuild = async (run: BuildRun): Promise<void> => {
  const plan = parseBuildArguments(run.args);
  if (plan.task === 'help') return run.io.stdout(HELP);
  const goal = await chooseGoal(plan, run);
  if (plan.task === 'print-dir') return run.io.stdout(`${goal.programs}\n`);
  if ((await findMissing(goal.dir, goal.outputs)).length > 0) await buildLocked(goal, run);
  run.io.stdout(`the cluster bench is ready in ${goal.programs}\n`);
};

interface Goal {
  /** Where the programs are, or will be. */
  readonly programs: string;
  /** Where what is built goes: the same, unless the programs are somebody else's. */
  readonly dir: string;
  readonly outputs: readonly OutputName[];
}

const chooseGoal = async (plan: BuildPlan, { io }: BuildRun): Promise<Goal> => {
  const ready = readyPrograms(io.env);
  if (ready === undefined) {
    const outputs = outputsFor(plan.binaries);
    const dir = await chooseCacheDir(io, outputs);
    return { programs: dir, dir, outputs };
  }
  if (plan.task === 'build') await requireReady(ready, plan.binaries);
  const manifests = manifestsFor(plan.binaries);
  const outputs = (await hasFiles(ready.dir, manifests)) ? [] : manifests;
  return { programs: ready.dir, dir: manifestsDir(io.env), outputs };
};

/** Without Go, a cache that is whole serves as well, whichever Go filled it. */
const chooseCacheDir = async ({ env, signal }: CliIo, outputs: readonly OutputName[]): Promise<string> => {
  try {
    return cacheDir(env, await readGoVersion({ env, signal }));
  } catch (error) {
    if (!isKind(error, 'unavailable')) throw error;
    for (const dir of await listCacheDirs(env)) {
      if ((await findMissing(dir, outputs)).length === 0) return dir;
    }
    throw error;
  }
};

const TEMP_PREFIX = '.building-';

const buildLocked = async (goal: Goal, run: BuildRun): Promise<void> => {
  const { env, signal, stdout } = run.io;
  const root = cacheRoot(env);
  try {
    const onWait = (pid = 'unknown'): void => stdout(`another build is at work (process ${pid}): waiting for it\n`);
    const lock = await acquireLock({ root, signal, onWait });
    try {
      await removeLeftovers(root);
      await mkdir(goal.dir, { recursive: true });
      // Whoever held the lock may have built it all.
      await buildAll(goal, await findMissing(goal.dir, goal.outputs), run);
      await tellOthers(root, stdout);
    } finally {
      lock.release();
    }
  } catch (thrown) {
    throw explainFileFailure(thrown, root);
  }
};

/** With the lock held they are nobody's: their builders were killed. */
const removeLeftovers = async (root: string): Promise<void> => {
  const names = (await readdir(root)).filter((name) => name.startsWith(TEMP_PREFIX));
  await Promise.all(names.map((name) => removeTree(join(root, name))));
};

/** A compiler that outlived its builder may still write there for a moment. */
const removeTree = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

const buildAll = async ({ programs, dir }: Goal, missing: readonly OutputName[], run: BuildRun): Promise<void> => {
  const { io, progressEveryMs } = run;
  const tempDir = await mkdtemp(join(cacheRoot(io.env), TEMP_PREFIX));
  try {
    for (const [at, name] of missing.entries()) {
      throwIfAborted(io.signal);
      const label = `[${at + 1}/${missing.length}] ${name}`;
      const progress = startProgress({ label, everyMs: progressEveryMs, print: io.stdout });
      try {
        const { onProgress } = progress;
        const workshop = { env: io.env, signal: io.signal, tempDir, kubectl: join(programs, 'kubectl'), onProgress };
        progress.done(await adopt(dir, name, await makeOutput(name, workshop)));
      } finally {
        progress.stop();
      }
    }
  } finally {
    await removeTree(tempDir);
  }
};

/** Another checkout, or another Go, may still need them: only a person knows. */
const tellOthers = async (root: string, print: (text: string) => void): Promise<void> => {
  const current = hashRecipe();
  const entries = await readdir(root, { withFileTypes: true });
  const others = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(current));
  if (others.length === 0) return;
  const names = others.map(({ name }) => name).join(', ');
  print(`builds of other recipes stay in ${root}: ${names}; remove what no checkout needs\n`);
};
