/**
 * The peer: @kubernetes/client-node, used as its README says, with the cluster's authority and a token. Of its two APIs
 * the one for custom objects is taken, which is the faster and the smaller: it does not copy what it parsed into classes.
 */
import { CustomObjectsApi, KubeConfig, type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import { collectionPath } from '../../src/kube/client/paths.ts';
import type { ObjectKey } from '../../src/kube/types/meta.ts';
import type { ApiAddress } from '../api-server/address.ts';
import { MACS } from '../api-server/macs.ts';

const { group, version, plural } = MACS;

const createConfig = ({ server, caPem }: ApiAddress): KubeConfig => {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'bench', server, caData: Buffer.from(caPem).toString('base64') }],
    users: [{ name: 'bench', token: 'bench' }],
    contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
    currentContext: 'bench',
  });
  return config;
};

/** One GET of one object. */
export const createPeerGet = (api: ApiAddress): ((key: ObjectKey) => Promise<unknown>) => {
  const objects = createConfig(api).makeApiClient(CustomObjectsApi);
  return ({ name, namespace = '' }) => objects.getNamespacedCustomObject({ group, version, plural, name, namespace });
};

/** Lists without pages, as its examples do; pages of 500 cost it more time and no less memory. */
export const createPeerInformer = (api: ApiAddress) => {
  const config = createConfig(api);
  const objects = config.makeApiClient(CustomObjectsApi);
  const list = () => objects.listClusterCustomObject({ group, version, plural });
  return makeInformer<KubernetesObject>(config, collectionPath(MACS), list);
};
