/** What may stand after `npm run cluster:build --`. */
import { parseArgs } from 'node:util';
import { FleetError } from '../../../src/base/errors.ts';
import { BINARY_NAMES, type BinaryName, STANDARD_BINARIES } from '../recipe.ts';

export interface BuildPlan {
  readonly task: 'build' | 'print-dir' | 'help';
  /** In the order in which they are built. */
  readonly binaries: readonly BinaryName[];
}

export const HELP = `npm run cluster:build -- [options]

Builds the programs of the cluster bench (Kubernetes, etcd, Cluster API, helm, a customer of Scaleway) from Go modules into a per-user cache.
About 15 minutes the first time on two processors; afterwards it only looks.

  --only <name,…>  only these, and what they need: ${STANDARD_BINARIES.join(', ')}
  --with e2e       the upstream end-to-end suite too (e2e.test)
  --print-dir      print the directory of the programs, and build nothing
  --debug          show stack traces with errors
  --help           print this help

MACFLEET_CLUSTER_BIN or KUBEBUILDER_ASSETS name a directory of ready programs instead.
`;

const OPTIONS = {
  only: { type: 'string' },
  with: { type: 'string' },
  'print-dir': { type: 'boolean' },
  debug: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const parseBuildArguments = (args: readonly string[]): BuildPlan => {
  const values = parseOptions(args);
  const chosen = new Set(values.only === undefined ? STANDARD_BINARIES : parseNames(values.only));
  if (values.with !== undefined) chosen.add(parseExtra(values.with));
  if (chosen.has('cluster-api-core')) chosen.add('kubectl');
  return {
    task: values.help === true ? 'help' : values['print-dir'] === true ? 'print-dir' : 'build',
    binaries: BINARY_NAMES.filter((name) => chosen.has(name)),
  };
};

const parseOptions = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (cause) {
    throw badArguments('cannot read the arguments', cause);
  }
};

const parseNames = (list: string): readonly BinaryName[] =>
  list.split(',').map((name) => {
    const known = BINARY_NAMES.find((candidate) => candidate === name.trim());
    if (known !== undefined) return known;
    throw badArguments(`"${name.trim()}" is not a program of the bench; there are ${BINARY_NAMES.join(', ')}`);
  });

const parseExtra = (name: string): BinaryName => {
  if (name === 'e2e') return 'e2e.test';
  throw badArguments(`--with knows e2e, not "${name}"`);
};

const badArguments = (message: string, cause?: unknown): FleetError =>
  new FleetError('invalid', {
    code: 'BadBuildArguments',
    message,
    hint: 'Run `npm run cluster:build -- --help` for the options.',
    cause,
  });
