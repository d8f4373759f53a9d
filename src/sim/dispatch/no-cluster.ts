/**
 * A dispatcher without a cluster, for whoever writes a client: tokens say whose they are, and there are no Pods to look at.
 * `runner:<pool>/<pod>` is a runner, `controller` the runners controller, everything else nobody.
 */
import type { ClusterView } from './cluster-view.ts';

export const CONTROLLER_TOKEN = 'controller';
const RUNNER = /^runner:([^/]+)\/([^/]+)$/;

/** `controller` is the account whose word counts about the ends of Pods. */
export const createNoCluster = (controller: { readonly namespace: string; readonly name: string }): ClusterView => {
  const pools = new Map<string, string>();
  return {
    review: async (token, audience) => {
      if (token === CONTROLLER_TOKEN) return audience === undefined ? controller : undefined;
      const [, pool, name] = RUNNER.exec(token) ?? [];
      if (pool === undefined || name === undefined) return undefined;
      pools.set(name, pool);
      return { namespace: controller.namespace, name, podUid: `uid-of-${name}` };
    },
    poolOf: async ({ name }) => pools.get(name),
    podOf: async () => undefined,
    imageOf: async () => undefined,
    label: async () => undefined,
  };
};
