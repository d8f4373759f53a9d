/**
 * Few dependencies, each pinned exactly and each with its row in docs/dependencies.md: what for, who keeps it, how we
 * would leave it. Product code imports only what users install.
 */
import { findImports } from '../syntax/imports.ts';
import { type Finding, isProduct, type Rule, type SourceFile, type Tree } from '../tree.ts';
import { type Dependency, readDependencies } from './package-manifest.ts';

const DOCUMENT = 'docs/dependencies.md';
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const ROW = /^\| `([^`]+)` \|(.*)\|\s*$/;
/** What for, who keeps it, how we would leave it. */
const COLUMNS = 3;

interface Row {
  readonly name: string;
  readonly line: number;
  readonly columns: readonly string[];
}

const rowsOf = (document: SourceFile | undefined): readonly Row[] =>
  (document?.text ?? '').split('\n').flatMap((text, at) => {
    const [, name, rest] = ROW.exec(text) ?? [];
    if (name === undefined || rest === undefined) return [];
    return [{ name, line: at + 1, columns: rest.split('|').map((column) => column.trim()) }];
  });

const checkPins = (dependencies: readonly Dependency[]): readonly Finding[] =>
  dependencies
    .filter(({ version }) => !EXACT.test(version))
    .map(({ name, version, line }) => ({
      ...{ path: 'package.json', line },
      message: `${name} is not pinned ("${version}"); write the one version that was tried`,
    }));

const checkRows = (dependencies: readonly Dependency[], rows: readonly Row[]): readonly Finding[] => [
  ...dependencies
    .filter(({ name }) => !rows.some((row) => row.name === name))
    .map(({ name, line }) => ({
      ...{ path: 'package.json', line },
      message: `${name} has no row in ${DOCUMENT}; say what for, who keeps it, how we would leave it`,
    })),
  ...rows
    .filter(({ name }) => !dependencies.some((dependency) => dependency.name === name))
    .map(({ name, line }) => ({ path: DOCUMENT, line, message: `${name} is no dependency; remove its row` })),
  ...rows
    .filter(({ columns }) => columns.length !== COLUMNS || columns.includes(''))
    .map(({ name, line }) => ({
      ...{ path: DOCUMENT, line },
      message: `the row of ${name} is incomplete; say what for, who keeps it, how we would leave it`,
    })),
];

/** `@scope/name/deep/path` belongs to `@scope/name`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const checkImports = (tree: Tree, file: SourceFile, dependencies: readonly Dependency[]): readonly Finding[] =>
  findImports(tree.tokensOf(file))
    .filter(({ from }) => !/^(\.|node:)/.test(from))
    .filter(
      ({ from }) => !dependencies.some(({ name, section }) => name === packageOf(from) && section === 'dependencies'),
    )
    .map(({ from, line }) => ({
      ...{ path: file.path, line },
      message: `product code imports ${packageOf(from)}, which users do not install; make it a dependency, or do without`,
    }));

export const dependencies: Rule = {
  name: 'dependencies',
  check: (tree) => {
    const known = readDependencies(tree);
    return [
      ...checkPins(known),
      ...checkRows(known, rowsOf(tree.find(DOCUMENT))),
      ...tree.sources.filter(({ path }) => isProduct(path)).flatMap((file) => checkImports(tree, file, known)),
    ];
  },
};
