/** package.json, pieces of which several rules look at. */
import { isRecord } from '../../../src/base/json.ts';
import type { SourceFile, Tree } from '../tree.ts';

const SECTIONS = ['dependencies', 'optionalDependencies', 'devDependencies'] as const;

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly section: (typeof SECTIONS)[number];
  /** Where package.json says so. */
  readonly line: number;
}

/** JSON of the file, or undefined when there is none or it is no object. */
export const parseJsonFile = (file: SourceFile | undefined): Readonly<Record<string, unknown>> | undefined => {
  const json: unknown = file === undefined ? undefined : JSON.parse(file.text);
  return isRecord(json) ? json : undefined;
};

export const readDependencies = (tree: Tree): readonly Dependency[] => {
  const file = tree.find('package.json');
  const manifest = parseJsonFile(file);
  return SECTIONS.flatMap((section) => {
    const entries = manifest?.[section];
    return Object.entries(isRecord(entries) ? entries : {}).map(([name, version]) => ({
      ...{ name, section, version: String(version) },
      line: lineOf(file?.text ?? '', `"${name}":`),
    }));
  });
};

/** The line, from 1, on which the text first holds `part`; 1 when it does not. */
export const lineOf = (text: string, part: string): number =>
  Math.max(1, text.split('\n').findIndex((line) => line.includes(part)) + 1);
