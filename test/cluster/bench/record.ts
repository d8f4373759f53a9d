/** What another process must know to join a cluster that is running: a small file in its directory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { FleetError } from '../../../src/base/errors.ts';
import type { ClusterParts } from './cluster.ts';
import { writePrivate } from './pki.ts';

const recordSchema = z.object({
  parts: z.enum(['api', 'kubernetes', 'cluster-api']),
  server: z.string(),
  etcdUrl: z.string(),
  /** Where its programs are. */
  binDir: z.string(),
});

export type ClusterRecord = Readonly<z.infer<typeof recordSchema>>;

const FILE = 'cluster.json';
const ORDER: readonly ClusterParts[] = ['api', 'kubernetes', 'cluster-api'];

/** Whether a cluster with these parts has what a test wants. */
export const hasParts = (parts: ClusterParts, wanted: ClusterParts): boolean =>
  ORDER.indexOf(parts) >= ORDER.indexOf(wanted);

export const writeRecord = (dir: string, record: ClusterRecord): void =>
  writePrivate(join(dir, FILE), JSON.stringify(record, null, 2));

export const readRecord = (dir: string): ClusterRecord => {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(join(dir, FILE), 'utf8')));
  } catch (cause) {
    throw new FleetError('not-found', {
      code: 'NoSharedCluster',
      message: `there is no running cluster in ${dir}`,
      hint: 'Unset MACFLEET_TEST_CLUSTER, or run the tests by `npm run test:cluster`.',
      cause,
    });
  }
};
