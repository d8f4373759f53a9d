/**
 * Where the simulation behind a cluster is controlled: a ConfigMap that `up` writes and `sim fault` reads, so that whoever has the
 * kubeconfig of `up` needs nothing else. No other cluster has it: no fault ever reaches a real Mac.
 */
import { FleetError, isKind } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import { CONFIG_MAPS } from '../../kube/types/core.ts';

export interface Controls {
  /** Of the simulated cloud and its Macs. */
  readonly cloud?: string | undefined;
  readonly dispatcher?: string | undefined;
}

const KEY = { namespace: 'kube-system', name: 'macfleet-simulation' };

export const publishControls = async (controls: Controls, client: KubeClient, signal: AbortSignal): Promise<void> => {
  const data = Object.fromEntries(Object.entries(controls).filter(([, url]) => url !== undefined));
  try {
    await client.create(CONFIG_MAPS, { metadata: KEY, data }, { signal });
  } catch (error) {
    if (!isKind(error, 'exists')) throw error;
    // Of an earlier run with the same data: its ports are gone.
    const body = { data: { cloud: null, dispatcher: null, ...data } };
    await client.patch(CONFIG_MAPS, KEY, { type: 'merge', body }, { signal });
  }
};

export const findControls = async (kube: KubeClient, source: string, signal: AbortSignal): Promise<Controls> => {
  const map = await readIfThere(CONFIG_MAPS, KEY, { kube, signal });
  if (map !== undefined) return { cloud: map.data?.['cloud'], dispatcher: map.data?.['dispatcher'] };
  throw new FleetError('not-found', {
    code: 'NoSimulation',
    message: `the cluster of ${source} is not one of \`macfleet up\`: there is nothing simulated to break`,
    hint: 'Start `macfleet up` and set KUBECONFIG as it says, or name the control of `macfleet sim cloud` with --control.',
  });
};
