/**
 * Imports go one way. MAY_IMPORT is the architecture: what stands in it is allowed, everything else is not. Inside one
 * folder of src everything may import everything, except that src/kube/types stands alone.
 *
 * A folder's *port* is `port.ts`, or a folder `port/`, directly in it.
 *
 * Test code (tests, and the `testing` folders) may import what its folder may, and besides any `testing` folder,
 * src/sim (the runtime is proven on the simulation), src/pki (certificates for real sockets) and tools. Product code
 * imports no test code.
 */
import { findLocalImports, type LocalImport } from '../syntax/imports.ts';
import { isTestCode, type Rule, type Tree } from '../tree.ts';

interface PortOf {
  readonly portOf: string;
}

const portOf = (folder: string): PortOf => ({ portOf: folder });

const CONTROLLERS_MAY = ['src/kube', 'src/kube/types', 'src/kinds', 'src/pki', 'src/macos', 'src/base'];
const COMPOSERS_MAY = ['src'];

/** The longest folder that a path begins with decides. */
const MAY_IMPORT: Readonly<Record<string, readonly (string | PortOf)[]>> = {
  'src/base': [],
  'src/macos': ['src/base'],
  'src/pki': ['src/base'],
  'src/kube/types': ['src/base'],
  'src/kube': ['src/kube/types', 'src/base'],
  // Whoever is a Node asks for certificates, over the client.
  'src/kube/node': ['src/kube', 'src/kube/types', 'src/pki', 'src/base'],
  'src/kinds': ['src/kube/types', 'src/base'],
  'src/scaleway': ['src/macos', 'src/base'],
  'src/github': ['src/base'],
  'src/dispatch': ['src/base'],
  'src/hosts': ['src/macos', 'src/base'],
  'src/provider': CONTROLLERS_MAY,
  'src/provider/host': [...CONTROLLERS_MAY, portOf('src/scaleway'), portOf('src/hosts')],
  'src/provider/fleet': [...CONTROLLERS_MAY, portOf('src/github')],
  'src/runners': [...CONTROLLERS_MAY, portOf('src/dispatch')],
  'src/kubelet': [...CONTROLLERS_MAY, 'src/kube/node'],
  'src/controlplane': ['src/kube', 'src/kube/types', 'src/kinds', 'src/pki', 'src/base'],
  'src/sim': [
    portOf('src/scaleway'),
    portOf('src/hosts'),
    portOf('src/dispatch'),
    ...['src/kube', 'src/kube/types', 'src/kube/node', 'src/kinds', 'src/macos', 'src/pki', 'src/base'],
  ],
  // Who may do what is said beside the controllers that do it.
  'src/install': ['src/provider', 'src/runners', 'src/kube', 'src/kube/types', 'src/kinds', 'src/base'],
  'src/world': COMPOSERS_MAY,
  'src/cli/install': ['src/install', 'src/kube', 'src/kube/types', 'src/base'],
  'src/cli/up': COMPOSERS_MAY,
  'src/cli': [
    ...['src/kube', 'src/kube/types', 'src/kinds', 'src/hosts', 'src/sim', 'src/controlplane', 'src/base'],
    portOf('src/scaleway'),
  ],
  bin: COMPOSERS_MAY,
  tools: ['src', 'bin'],
  // A person's cluster and the cluster tier start what the tests start.
  'tools/cluster/up': ['src', 'bin', 'tools', 'test'],
  'tools/cluster/test': ['src', 'bin', 'tools', 'test'],
  'tools/conformance': ['src', 'bin', 'tools', 'test'],
  'tools/soak': ['src', 'bin', 'tools', 'test'],
  // Mutants are test code, and so are the pages that tell of them.
  'tools/simulate': ['src', 'bin', 'tools', 'test'],
  'tools/generate': ['src', 'bin', 'tools', 'test'],
  'tools/builtin-types': ['src', 'bin', 'tools', 'test'],
  bench: ['src', 'tools'],
  // The peer of the embedded control plane is the cluster that the tests start.
  'bench/control-plane': ['src', 'tools', 'bench', 'test'],
  // Agents are started there as the tests start them, on the same cluster.
  'bench/kubelet': ['src', 'tools', 'bench', 'test'],
  'bench/runners': ['src', 'tools', 'bench', 'test'],
  test: ['src', 'bin', 'tools', 'bench'],
};

const TESTS_ALSO_MAY = ['src/sim', 'src/pki', 'src/kube/types', 'src/base', 'tools'];

/** Folders whose neighbours in the same part of src may not be imported freely. */
const STANDS_ALONE = ['src/kube/types'];

/** `src/cli/up` is a file or a folder: both `src/cli/up.ts` and `src/cli/up/…` are in it. */
const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`) || path === `${folder}.ts`;

const folderOf = (path: string): string | undefined =>
  Object.keys(MAY_IMPORT)
    .filter((folder) => isIn(path, folder))
    .sort((left, right) => right.length - left.length)[0];

/** The part of the repository a path belongs to: `src/kube`, `bin`, `tools`. */
const partOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.startsWith('src/') ? 2 : 1)
    .join('/');

const isPort = (path: string, folder: string): boolean =>
  path === `${folder}/port.ts` || path.startsWith(`${folder}/port/`);

const mayImport = (from: string, to: string): boolean => {
  const folder = folderOf(from);
  if (folder === undefined) return false;
  if (isTestCode(to) && !mayUseTestCode(from)) return false;
  if (isIn(to, folder)) return true;
  if (partOf(from) === partOf(to) && (isTestCode(from) || !STANDS_ALONE.includes(folder))) return true;
  const targets: readonly (string | PortOf)[] = MAY_IMPORT[folder] ?? [];
  if (targets.some((target) => (typeof target === 'string' ? allows(target, to) : isPort(to, target.portOf))))
    return true;
  return isTestCode(from) && (to.includes('/testing/') || TESTS_ALSO_MAY.some((target) => isIn(to, target)));
};

const mayUseTestCode = (from: string): boolean =>
  isTestCode(from) || MAY_IMPORT[folderOf(from) ?? '']?.includes('test') === true;

/** A target means that folder and not another row of the graph inside it; `src` means all of it. */
const allows = (target: string, to: string): boolean =>
  isIn(to, target) && (target === 'src' || folderOf(to) === target);

const explain = (from: string, { path }: LocalImport): string => {
  if (isTestCode(path) && !mayUseTestCode(from))
    return `product code imports test code (${path}); move what it needs out of there`;
  const folder = folderOf(from) ?? partOf(from);
  const allowed = (MAY_IMPORT[folder] ?? []).map((target) =>
    typeof target === 'string' ? target : `the port of ${target.portOf}`,
  );
  return `${folder} may not import ${path}: it may import ${allowed.join(', ') || 'nothing of ours'}; pass the thing in, or move it down`;
};

export const importDirection: Rule = {
  name: 'import-direction',
  check: (tree: Tree) =>
    tree.sources.flatMap((file) => {
      if (folderOf(file.path) === undefined) {
        const message = `${partOf(file.path)} is not in the import graph; give it a row in tools/tidy/rules/import-direction.ts`;
        return [{ path: file.path, line: 1, message }];
      }
      return findLocalImports(tree, file)
        .filter(({ path }) => path.endsWith('.ts') && !mayImport(file.path, path))
        .map((found) => ({ path: file.path, line: found.line, message: explain(file.path, found) }));
    }),
};
