/** Reads a log from the port of an agent itself, as the API server does it, and with as little as Node.js needs for that. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Cluster } from '../../test/cluster/bench/cluster.ts';

export interface StraightLog {
  readonly port: number;
  /** `/containerLogs/<namespace>/<pod>/<container>` */
  readonly path: string;
}

/** How many bytes came. */
export const readStraight = async ({ caPem, dir }: Cluster, { port, path }: StraightLog): Promise<number> => {
  const read = (name: string): Buffer => readFileSync(join(dir, 'pki', name));
  const who = { cert: read('kubelet-client.crt'), key: read('kubelet-client.key'), ca: caPem };
  const asked = request({ ...who, host: '127.0.0.1', port, path });
  asked.end();
  const [response] = await once(asked, 'response');
  if (response.statusCode !== 200) throw new Error(`the agent answers ${response.statusCode}`);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(response, 'end');
  return bytes;
};
