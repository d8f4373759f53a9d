/** The house rules, in the order in which they report. */
import { casts } from './rules/casts.ts';
import { dependencies } from './rules/dependencies.ts';
import { fileHeader } from './rules/file-header.ts';
import { fileNames } from './rules/file-names.ts';
import { generatedFresh } from './rules/generated-fresh.ts';
import { honestTests } from './rules/honest-tests.ts';
import { importCycles } from './rules/import-cycles.ts';
import { importDirection } from './rules/import-direction.ts';
import { links } from './rules/links.ts';
import { lockfile } from './rules/lockfile.ts';
import { looseEnds } from './rules/loose-ends.ts';
import { machineTraces } from './rules/machine-traces.ts';
import { noSecrets } from './rules/no-secrets.ts';
import { oldBash } from './rules/old-bash.ts';
import { rawEffects } from './rules/raw-effects.ts';
import { sizes } from './rules/sizes.ts';
import type { Rule } from './tree.ts';

export const RULES: readonly Rule[] = [
  importDirection,
  importCycles,
  rawEffects,
  casts,
  sizes,
  fileNames,
  fileHeader,
  looseEnds,
  honestTests,
  machineTraces,
  noSecrets,
  oldBash,
  dependencies,
  lockfile,
  generatedFresh,
  links,
];
