/** What the chart renders with given values, as objects and as helm says it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Cluster, CommandResult } from '../bench/cluster.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
export const CHART = join(ROOT, 'charts', 'macfleet');
export const SIMULATED = join(ROOT, 'examples', 'values-simulated.yaml');
export const REAL = join(ROOT, 'examples', 'values-scaleway.yaml');
export const NAMESPACE = 'chart-render';

export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly replicas?: number;
    readonly target?: Readonly<Record<string, unknown>>;
    readonly data?: unknown;
    readonly template?: { readonly metadata?: object; readonly spec: object };
  };
}

export interface Asked {
  readonly values?: string;
  readonly set?: readonly string[];
  /** Further arguments of helm. */
  readonly more?: readonly string[];
  /** Looks things up in the cluster, as an install does. */
  readonly live?: true;
  /** Name of the release. */
  readonly release?: string;
}

export const template = (cluster: Cluster, asked: Asked): Promise<CommandResult> => {
  const { values = SIMULATED, set = [], more = [], live, release = 'mac' } = asked;
  return cluster.run('helm', [
    ...['template', release, CHART, '--namespace', NAMESPACE, '--values', values],
    ...(live === true ? ['--dry-run=server'] : []),
    ...set.flatMap((value) => ['--set', value]),
    ...more,
  ]);
};

export const renderYaml = async (cluster: Cluster, asked: Asked): Promise<string> => {
  const { code, stdout, stderr } = await template(cluster, asked);
  assert.equal(code, 0, stderr);
  return stdout;
};

export const renderObjects = async (cluster: Cluster, asked: Asked): Promise<readonly Rendered[]> =>
  parseAllDocuments(await renderYaml(cluster, asked))
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);

const FLEETS = ['macosFleet', 'runnersFleet', 'buildersFleet'] as const;
export type FleetKey = (typeof FLEETS)[number];

/** Values with these fleets and no others. */
export const only = (...fleets: readonly FleetKey[]): readonly string[] =>
  FLEETS.map((key) => `${key}.enabled=${fleets.includes(key)}`);

/** Kinds of operators that the bench does not have. */
export const FOREIGN = /^(external-secrets\.io|monitoring\.coreos\.com)\//;
