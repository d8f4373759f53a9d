/** kubeconform, with the schemas of the running API server and no others: those of Kubernetes itself, of Cluster API and of our kinds. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isRecord } from '../../../src/base/json.ts';
import type { Cluster } from '../bench/cluster.ts';
import { SCHEMA_LOCATION, toSchemaFiles } from './openapi-schemas.ts';

export interface Verdict {
  /** `<kind> <name>: <what is wrong>` */
  readonly wrong: readonly string[];
  readonly valid: number;
  /** Kinds that the API server does not have, and we said so. */
  readonly skipped: number;
}

export interface Kubeconform {
  /** Documents of YAML. */
  judge(manifests: string): Promise<Verdict>;
}

/** Of operators that the bench does not have: what the chart renders for them is not judged. */
const SKIPPED = [
  'external-secrets.io/v1/ExternalSecret',
  'monitoring.coreos.com/v1/PodMonitor',
  'monitoring.coreos.com/v1/PrometheusRule',
];
const isSkipped = (apiVersion: string): boolean => SKIPPED.some((kind) => kind.startsWith(`${apiVersion}/`));

export const openKubeconform = (cluster: Cluster): Kubeconform => {
  const dir = mkdtempSync(join(cluster.dir, 'schemas-'));
  const known = new Set<string>();
  return {
    judge: async (manifests) => {
      const wanted = apiVersionsIn(manifests).filter((version) => !known.has(version) && !isSkipped(version));
      for (const version of wanted) {
        known.add(version);
        await writeSchemas(cluster, dir, version);
      }
      const options = ['-strict', '-output', 'json', '-summary', '-skip', SKIPPED.join(',')];
      const location = ['-schema-location', join(dir, SCHEMA_LOCATION)];
      const { stdout, stderr } = await cluster.run('kubeconform', [...options, ...location, '-'], { input: manifests });
      return parseVerdict(stdout, stderr);
    },
  };
};

const apiVersionsIn = (manifests: string): readonly string[] => {
  const objects: readonly unknown[] = parseAllDocuments(manifests).map((document) => document.toJS());
  return [...new Set(objects.filter(isRecord).map(({ apiVersion }) => String(apiVersion)))];
};

/** A version that the API server does not have gets no schema: kubeconform then says so of each object. */
const writeSchemas = async (cluster: Cluster, dir: string, apiVersion: string): Promise<void> => {
  const path = `/openapi/v3/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
  const { code, stdout } = await cluster.kubectl(['get', '--raw', path]);
  if (code !== 0) return;
  for (const { path: name, schema } of toSchemaFiles(apiVersion, JSON.parse(stdout))) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), JSON.stringify(schema));
  }
};

interface Answer {
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly msg: string }[];
  readonly summary: { readonly valid: number; readonly skipped: number };
}

const parseVerdict = (stdout: string, stderr: string): Verdict => {
  if (stdout === '') throw new Error(`kubeconform said nothing but: ${stderr}`);
  const { resources, summary } = JSON.parse(stdout) as Answer;
  const wrong = resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`);
  return { wrong, valid: summary.valid, skipped: summary.skipped };
};
