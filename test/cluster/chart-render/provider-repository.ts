/** deploy/clusterctl as a repository of providers on this machine, and what clusterctl makes of it. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Cluster } from '../bench/cluster.ts';
import { ROOT } from './render.ts';

const NAME = 'scaleway-applesilicon';
export const PROVIDER_IMAGE = 'example.com/macfleet:1';

/** The components as `clusterctl generate provider` prints them. */
export const generateProvider = async (cluster: Cluster): Promise<string> => {
  const generate = ['generate', 'provider', '--config', writeRepository(cluster), '--infrastructure', NAME];
  const { code, stdout, stderr } = await cluster.run('clusterctl', generate, {
    env: {
      ...{ MACFLEET_IMAGE: PROVIDER_IMAGE, MACFLEET_API_SERVER_URL: cluster.server },
      ...{ SCW_ACCESS_KEY: 'a', SCW_SECRET_KEY: 'b', SCW_DEFAULT_PROJECT_ID: 'c' },
      GOPROXY: 'off',
    },
  });
  assert.equal(code, 0, stderr);
  return stdout;
};

/** Laid out as clusterctl wants it. */
const writeRepository = ({ dir }: Cluster): string => {
  const home = join(dir, 'providers', `infrastructure-${NAME}`, 'v0.1.0');
  mkdirSync(home, { recursive: true });
  for (const name of ['metadata.yaml', 'infrastructure-components.yaml'])
    copyFileSync(join(ROOT, 'deploy', 'clusterctl', name), join(home, name));
  const config = join(dir, 'providers', 'clusterctl.yaml');
  const url = join(home, 'infrastructure-components.yaml');
  writeFileSync(config, stringify({ providers: [{ name: NAME, type: 'InfrastructureProvider', url }] }));
  return config;
};
