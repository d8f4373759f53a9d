/**
 * What a cluster says of its own address for everybody outside of it: `kube-public/cluster-info`, as kubeadm and most others keep it. The Go
 * original finds its API server there too (`--api-server-url` is the way for clusters that do not say it).
 */
import { parseDocument } from 'yaml';
import { isRecord } from '../base/json.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { readIfThere } from '../kube/client/if-there.ts';
import { CONFIG_MAPS } from '../kube/types/core.ts';
import { CLUSTER_INFO } from '../provider/roles.ts';

export interface ClusterInfoDeps {
  readonly kube: Pick<KubeClient, 'get'>;
  readonly signal: AbortSignal;
}

/** The first server in it; undefined when it does not say any that Macs could use. */
export const findPublicServer = async (deps: ClusterInfoDeps): Promise<string | undefined> => {
  const info = await readIfThere(CONFIG_MAPS, CLUSTER_INFO, deps);
  return serversIn(info?.data?.['kubeconfig'] ?? '').find((server) => URL.parse(server)?.protocol === 'https:');
};

/** No matter how the entries are called: kubeadm gives its only cluster an empty name. */
const serversIn = (kubeconfig: string): readonly string[] => {
  const document = parseDocument(kubeconfig);
  const root: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 });
  const clusters = isRecord(root) && Array.isArray(root['clusters']) ? root['clusters'] : [];
  return clusters.flatMap((entry: unknown) => {
    const server = isRecord(entry) && isRecord(entry['cluster']) ? entry['cluster']['server'] : undefined;
    return typeof server === 'string' ? [server] : [];
  });
};
