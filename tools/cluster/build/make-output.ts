/** Makes one file of the bench, in a temporary place; the caller moves it to its own when it is whole. */
import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FleetError, unreachable } from '../../../src/base/errors.ts';
import type { Env } from '../cache.ts';
import {
  BINARY_RECIPES,
  type BinaryName,
  CORE_MANIFEST,
  goFlags,
  MANIFEST_NAMES,
  MANIFEST_SOURCES,
  type ManifestName,
  type OutputName,
  PROVIDER_CRD,
} from '../recipe.ts';
import { findModuleSources, type GoProgress, runGo } from './go.ts';

export interface Workshop {
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Removed when the build is over, with all that is still in it. */
  readonly tempDir: string;
  /** A ready kubectl, for the manifests. */
  readonly kubectl: string;
  readonly onProgress: (progress: GoProgress) => void;
}

const MANIFEST_BYTES_MAX = 64 * 2 ** 20;

/** The path of the finished file, in the workshop's temporary directory. */
export const makeOutput = async (name: OutputName, workshop: Workshop): Promise<string> => {
  const path = join(workshop.tempDir, name);
  const manifest = MANIFEST_NAMES.find((candidate) => candidate === name);
  if (manifest !== undefined) await makeManifest(manifest, path, workshop);
  else if (isBinary(name)) await compile(name, path, workshop);
  return path;
};

const isBinary = (name: OutputName): name is BinaryName => Object.hasOwn(BINARY_RECIPES, name);

const compile = async (name: BinaryName, path: string, workshop: Workshop): Promise<void> => {
  const recipe = BINARY_RECIPES[name];
  await runGo({
    args: [...goFlags(recipe), '-o', path, recipe.package],
    module: recipe.module,
    // What a killed compiler leaves behind is then removed with the rest.
    env: { ...workshop.env, GOTMPDIR: workshop.tempDir },
    signal: workshop.signal,
    doing: `building ${name}`,
    onProgress: workshop.onProgress,
  });
};

const makeManifest = async (name: ManifestName, path: string, workshop: Workshop): Promise<void> => {
  const { module, goModule, kustomization, providerCrd } = MANIFEST_SOURCES;
  const sources = await findModuleSources({ env: workshop.env, signal: workshop.signal, module, goModule });
  switch (name) {
    case CORE_MANIFEST:
      return writeFile(path, await renderKustomization(join(sources, kustomization), workshop));
    case PROVIDER_CRD:
      return copyFile(join(sources, providerCrd), path);
    default:
      return unreachable(name);
  }
};

const renderKustomization = async (dir: string, { kubectl, env, signal }: Workshop): Promise<string> => {
  try {
    const options = { env, signal, maxBuffer: MANIFEST_BYTES_MAX };
    return (await promisify(execFile)(kubectl, ['kustomize', dir], options)).stdout;
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new FleetError('contract', {
      code: 'ManifestNotRendered',
      message: `kubectl could not render ${dir}`,
      hint: 'Run `npm run cluster:build` again; if it fails in the same way, the recipe in tools/cluster is wrong.',
      cause,
    });
  }
};
