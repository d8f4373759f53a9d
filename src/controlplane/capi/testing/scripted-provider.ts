/**
 * A provider in a few lines: every infrastructure machine gets a host after a while, and with it a Node; on deletion the
 * host is switched off first. It stands for the real one in tests of the machine controllers.
 */
import { createCache } from '../../../kube/cache/cache.ts';
import { createController, watchPrimary } from '../../../kube/controller/controller.ts';
import { createEventRecorder } from '../../../kube/controller/events.ts';
import { reconcileLifecycle } from '../../../kube/controller/lifecycle.ts';
import { done, stop, wait } from '../../../kube/controller/outcome.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import type { ControllerSet, ControllerSetDeps } from '../../core/controller-set.ts';
import type { ContractObject } from '../contract-objects.ts';

export const INFRASTRUCTURE_MACHINES: Resource<ContractObject> = {
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1alpha1',
  kind: 'ScriptedMachine',
  plural: 'scriptedmachines',
  scope: 'Namespaced',
};

/** Hosts by the UID of the infrastructure machine; both may be repeated. */
export interface ScriptedHosts {
  switchOn(uid: string, host: { readonly nodeName: string; readonly providerId: string }): Promise<void>;
  switchOff(uid: string): Promise<void>;
}

const PROVISION_MS = 1_500;

/** On an infrastructure machine that never gets a host. */
export const NEVER_PROVISIONED = 'example.com/never-provisioned';

export const createScriptedProvider = (
  deps: ControllerSetDeps & {
    readonly signal: AbortSignal;
    /** Cares for the machines of this namespace alone; for all when left out. */
    readonly namespace?: string;
  },
  hosts: ScriptedHosts,
): ControllerSet => {
  const cache = createCache<ContractObject>({ ...deps, resource: INFRASTRUCTURE_MACHINES });
  const events = createEventRecorder({ ...deps, component: 'scripted-provider' });
  const reconcile = reconcileLifecycle<ContractObject>({
    cache,
    events,
    finalizer: 'infrastructure.cluster.x-k8s.io/scripted',
    up: [
      {
        name: 'provision',
        condition: 'Ready',
        run: async ({ metadata, status }, { clock }) => {
          if (metadata.annotations?.[NEVER_PROVISIONED] !== undefined) return stop<ContractObject>();
          const bornMs = Date.parse(metadata.creationTimestamp ?? '');
          const leftMs = bornMs + PROVISION_MS - clock.now();
          if (status?.initialization?.provisioned !== true && leftMs > 0) return wait(leftMs);
          const providerId = `scripted://${metadata.uid}`;
          await hosts.switchOn(metadata.uid ?? '', { nodeName: metadata.name, providerId });
          return done<ContractObject>({
            spec: { providerID: providerId },
            status: { initialization: { provisioned: true }, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
            condition: { type: 'Ready', status: 'True', reason: 'Ready', message: '' },
          });
        },
      },
    ],
    down: [
      {
        name: 'release',
        condition: 'Ready',
        run: async ({ metadata }) => {
          await hosts.switchOff(metadata.uid ?? '');
          return done();
        },
      },
    ],
  });
  const controller = createController({ name: 'scripted-provider', watches: [watchPrimary(cache)], reconcile });
  return { caches: [cache], controllers: [controller], events };
};
