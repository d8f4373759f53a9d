/** A CustomResourceDefinition read as data. */
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';

export interface CrdVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  readonly schema: Fields | undefined;
  readonly fields: Fields;
}

export interface Definition {
  readonly group: string;
  readonly names: Fields;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly versions: readonly CrdVersion[];
  readonly spec: Fields;
}

export const textIn = (fields: Fields, name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');

export const textsIn = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.map(String) : [];
};

export const readDefinition = (crd: StoredObject): Definition => {
  const spec = fieldsOf(crd['spec']);
  const names = fieldsOf(spec['names']);
  const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isRecord) : [];
  return {
    group: textIn(spec, 'group'),
    names,
    kind: textIn(names, 'kind'),
    plural: textIn(names, 'plural'),
    scope: spec['scope'] === 'Cluster' ? 'Cluster' : 'Namespaced',
    versions: versions.map(readVersion).toSorted((left, right) => compareVersions(left.name, right.name)),
    spec,
  };
};

const readVersion = (fields: Fields): CrdVersion => {
  const schema = fieldsOf(fields['schema'])['openAPIV3Schema'];
  return {
    name: textIn(fields, 'name'),
    isServed: fields['served'] === true,
    isStorage: fields['storage'] === true,
    schema: isRecord(schema) ? schema : undefined,
    fields,
  };
};

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const RIPENESS: Readonly<Record<string, number>> = { alpha: 1, beta: 2 };

const ranksOf = (version: string): readonly number[] => {
  const [, major, stage, minor] = VERSION.exec(version) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [stage === undefined ? 3 : (RIPENESS[stage] ?? 0), Number(major), Number(minor ?? 0)];
};

/** The preferred version first: stable before beta before alpha, then the newer one. */
const compareVersions = (left: string, right: string): number => {
  const [ours, theirs] = [ranksOf(left), ranksOf(right)];
  for (const [at, rank] of ours.entries()) {
    const other = theirs[at] ?? 0;
    if (rank !== other) return other - rank;
  }
  return left < right ? -1 : left > right ? 1 : 0;
};
