/** Where the programs of the cluster bench are. Looks and never builds: `npm run cluster:build` does that. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FleetError } from '../../src/base/errors.ts';
import { cacheRoot, type Env, findMissing, isProgram, listCacheDirs } from './cache.ts';
import {
  type BinaryName,
  CORE_MANIFEST,
  MANIFEST_NAMES,
  type ManifestName,
  type OutputName,
  PROVIDER_CRD,
  STANDARD_BINARIES,
} from './recipe.ts';

export interface ClusterBinaries {
  readonly dir: string;
  /** The program's full path. One that was not asked for may be absent: then it throws. */
  path(name: string): string;
  /** Path of Cluster API core's manifest: CRDs with conversion, RBAC, webhooks. */
  readonly coreManifest: string;
  /** Path of the CRD in which clusterctl keeps what it installed. */
  readonly providerCrd: string;
}

export interface FindOptions {
  /** All but the end-to-end suite by default. The manifests are looked for when Cluster API core is among them. */
  readonly need?: readonly BinaryName[];
}

/** In the order in which they are asked. */
const READY_VARIABLES = ['MACFLEET_CLUSTER_BIN', 'KUBEBUILDER_ASSETS'] as const;

const BUILD_HINT = 'Run `npm run cluster:build` (needs Go; about 15 minutes the first time, then instant).';

/** A directory of ready programs, and the variable that names it. */
export interface ReadyPrograms {
  readonly variable: string;
  readonly dir: string;
}

/** What the environment names, if it names something. */
export const readyPrograms = (env: Env): ReadyPrograms | undefined => {
  for (const variable of READY_VARIABLES) {
    const dir = env[variable] ?? '';
    if (dir !== '') return { variable, dir };
  }
  return undefined;
};

/** Rejects with an `unavailable` FleetError when something needed is missing. */
export const findBinaries = async (env: Env, options: FindOptions = {}): Promise<ClusterBinaries> => {
  const need = options.need ?? STANDARD_BINARIES;
  const ready = readyPrograms(env);
  return ready === undefined ? findInCache(env, need) : findReady(ready, env, need);
};

const findInCache = async (env: Env, need: readonly BinaryName[]): Promise<ClusterBinaries> => {
  const dirs = await listCacheDirs(env);
  const outputs = outputsFor(need);
  for (const dir of dirs) {
    if ((await findMissing(dir, outputs)).length === 0) return listed(dir, dir);
  }
  const [newest] = dirs;
  const missing = newest === undefined ? outputs : await findMissing(newest, outputs);
  throw new FleetError('unavailable', {
    code: 'ClusterBinariesMissing',
    message: `the cluster bench is not built: ${missing.join(', ')} missing in ${cacheRoot(env)}`,
    hint: need.includes('e2e.test') ? BUILD_HINT.replace('cluster:build', 'cluster:build -- --with e2e') : BUILD_HINT,
  });
};

const findReady = async (ready: ReadyPrograms, env: Env, need: readonly BinaryName[]): Promise<ClusterBinaries> => {
  await requireReady(ready, need);
  const { dir, variable } = ready;
  const manifests = manifestsFor(need);
  if (await hasFiles(dir, manifests)) return listed(dir, dir);
  for (const cached of await listCacheDirs(env)) {
    if ((await findMissing(cached, manifests)).length === 0) return listed(dir, cached);
  }
  throw new FleetError('unavailable', {
    code: 'ClusterManifestsMissing',
    message: `${manifests.join(' and ')} are neither beside the programs in ${dir} nor in ${cacheRoot(env)}`,
    hint: `Run \`npm run cluster:build\`: with ${variable} set it only takes them out of the Go module.`,
  });
};

/** Rejects with the names of the programs that are not there. */
export const requireReady = async ({ variable, dir }: ReadyPrograms, need: readonly BinaryName[]): Promise<void> => {
  const runnable = await Promise.all(need.map((name) => isProgram(join(dir, name))));
  const missing = need.filter((_, at) => runnable[at] !== true);
  if (missing.length === 0) return;
  throw new FleetError('unavailable', {
    code: 'ReadyBinariesMissing',
    message: `${variable} names ${dir}, which lacks ${missing.join(', ')}`,
    hint: `Put them there, or unset ${variable} and run \`npm run cluster:build\`.`,
  });
};

/** Cluster API core is of no use without them. */
export const manifestsFor = (need: readonly BinaryName[]): readonly ManifestName[] =>
  need.includes('cluster-api-core') ? MANIFEST_NAMES : [];

/** Everything that these programs come down to, in the order of building: the end-to-end suite takes longest, hence last. */
export const outputsFor = (need: readonly BinaryName[]): readonly OutputName[] => {
  const isSuite = (name: BinaryName): boolean => name === 'e2e.test';
  return [...need.filter((name) => !isSuite(name)), ...manifestsFor(need), ...need.filter(isSuite)];
};

export const hasFiles = async (dir: string, names: readonly string[]): Promise<boolean> => {
  const found = await Promise.all(names.map((name) => stat(join(dir, name)).catch(() => undefined)));
  return found.every((file) => file?.isFile() === true);
};

const listed = async (dir: string, manifestDir: string): Promise<ClusterBinaries> => {
  const present = new Set(await readdir(dir));
  return {
    dir,
    coreManifest: join(manifestDir, CORE_MANIFEST),
    providerCrd: join(manifestDir, PROVIDER_CRD),
    path: (name) => {
      if (present.has(name)) return join(dir, name);
      throw new FleetError('unavailable', {
        code: 'ClusterBinariesMissing',
        message: `${name} is not in ${dir}`,
        hint: `Ask for it when finding the programs, or run \`npm run cluster:build -- --only ${name}\`.`,
      });
    },
  };
};
