/**
 * A whole fleet in this process: the embedded control plane over HTTPS, its controllers, the provider, a simulated cloud
 * and simulated Macs whose agents join as Nodes. Simulated times are compressed, and whoever starts this says so.
 */
import { throwIfAborted } from '../../base/abort.ts';
import { serveControlPlane } from '../../controlplane/serve-control-plane.ts';
import type { Fleet, FleetOptions } from './fleet-parts.ts';

/** Rejects when the signal is aborted before all of it is there, and leaves nothing of it running. */
export const startFleet = async (options: FleetOptions, signal: AbortSignal): Promise<Fleet> => {
  throwIfAborted(signal);
  const plane = await serveControlPlane(options);
  const { url, kubeconfig } = plane;
  try {
    options.onListening?.(url);
    // Half of the program, loaded when the API answers already.
    const { startInside } = await import('./start-inside.ts');
    const inside = await startInside(options, plane, signal);
    return {
      ...{ ...inside, url, kubeconfig, storeFailure: plane.storeFailure },
      stop: async () => {
        await inside.stop();
        await plane.close();
      },
    };
  } catch (error) {
    await plane.close();
    // What the API answered is only what came of it.
    throw plane.storeFailure() ?? error;
  }
};
