/** Our side: the runtime's own client and cache on real sockets, put together as a process of ours would. */
import { createSystemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { Secret } from '../../src/base/secret.ts';
import { type Cache, createCache, dropManagedFields } from '../../src/kube/cache/cache.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { createKubeClient } from '../../src/kube/client/create-client.ts';
import { createUndiciTransport } from '../../src/kube/client/undici-transport.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import type { ApiAddress } from '../api-server/address.ts';
import { MACS } from '../api-server/macs.ts';

const deps = { clock: createSystemClock(), random: createSystemRandom(), logger: silentLogger };

export const createOurClient = ({ server, caPem }: ApiAddress): KubeClient => {
  const shown = { token: new Secret('bench') };
  const credentials = { current: async () => shown, renew: async () => shown };
  const transport = createUndiciTransport({ server, caPem, source: 'bench', credentials, verifyServer: 'yes' });
  return createKubeClient({ ...deps, transport });
};

export const createOurCache = (client: KubeClient): Cache<KubeObject> =>
  createCache({ ...deps, client, resource: MACS, transform: dropManagedFields });
