/** No file imports itself by way of others: a cycle cannot be read, tested or moved piece by piece. */
import { findLocalImports } from '../syntax/imports.ts';
import type { Finding, Rule, Tree } from '../tree.ts';

interface Edge {
  readonly to: string;
  readonly line: number;
}

const graphOf = (tree: Tree): ReadonlyMap<string, readonly Edge[]> =>
  new Map(
    tree.sources.map((file) => [file.path, findLocalImports(tree, file).map(({ path, line }) => ({ to: path, line }))]),
  );

/** Depth first; an edge back into the trail closes a cycle, which is reported where that edge is. */
const findCycles = (graph: ReadonlyMap<string, readonly Edge[]>): readonly Finding[] => {
  const findings: Finding[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    for (const { to, line } of graph.get(path) ?? []) {
      const at = trail.indexOf(to);
      if (at >= 0) {
        const cycle = [...trail.slice(at), to].join(' → ');
        findings.push({
          path,
          line,
          message: `imports in a circle: ${cycle}; move what both need into a file of its own`,
        });
      } else if (!done.has(to)) visit(to, [...trail, to]);
    }
    done.add(path);
  };
  for (const path of graph.keys()) if (!done.has(path)) visit(path, [path]);
  return findings;
};

export const importCycles: Rule = { name: 'import-cycles', check: (tree) => findCycles(graphOf(tree)) };
