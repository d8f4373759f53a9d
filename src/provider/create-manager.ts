/**
 * The provider, put together: the table of contents of what runs in the manager. `bin/manager.ts`, `macfleet up` and the
 * simulated world all call this with their own ports.
 */
import { neverAborted } from '../base/abort.ts';
import { CLUSTERS } from '../kinds/cluster.ts';
import { CONTROL_PLANES } from '../kinds/control-plane.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { EVENT_SOURCES } from '../kinds/names.ts';
import { type CacheOptions, createCache, createLeanKeeping } from '../kube/cache/cache.ts';
import type { Controller } from '../kube/controller/controller.ts';
import { createEventRecorder } from '../kube/controller/events.ts';
import type { LeaderLease } from '../kube/manager/leader-lease.ts';
import { createManager as createKubeManager, type Manager } from '../kube/manager/manager.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../kube/types/certificates.ts';
import { CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import { NODES, PODS } from '../kube/types/core.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Pod } from '../kube/types/pod.ts';
import type { Resource } from '../kube/types/resource.ts';
import { createKubeconfigController, type RemoteAccess } from './cluster/kubeconfig-controller.ts';
import { createClusterController, createControlPlaneController } from './cluster/shell-controllers.ts';
import { createOriginalsController } from './fleet/retire-originals.ts';
import { createSpreadController, type SpreadSettings } from './fleet/spread-controller.ts';
import { createStrandedPodsController, keepOfPod } from './fleet/stranded-pods.ts';
import { measureFleet } from './fleet-metrics.ts';
import { createCompleteLists } from './host/complete-lists.ts';
import { machinesOf, type ProviderCaches } from './host/host-caches.ts';
import { createHostController, WORKERS } from './host/host-controller.ts';
import { isOrder } from './host/host-life.ts';
import { createInventoryController } from './host/inventory.ts';
import { createKnownStrays } from './host/known-strays.ts';
import type { HostPorts } from './host/ports.ts';
import { createTurns } from './host/turns.ts';
import { createCsrApprover, REQUEST_INDEXES } from './identity/csr-approver.ts';
import { createForgetMoved } from './machine/forget-moved.ts';
import { createMachineController, type MachineDeps } from './machine/machine-controller.ts';
import { createMissedHosts } from './machine/missed-hosts.ts';
import { tellStrays } from './tell-strays.ts';

export interface ProviderPorts extends HostPorts {
  /** Without one this process acts as if it were alone. */
  readonly lease?: LeaderLease;
  readonly metrics?: RuntimeMetrics;
  /** Without it somebody else keeps `<cluster>-kubeconfig`. */
  readonly remote?: RemoteAccess;
  /** The Deployment whose Pods are spread over the Macs. */
  readonly spread?: SpreadSettings;
}

/** What the provider watches. A manager of one namespace sees the machines and clusters of that alone. */
const createCaches = ({ client, clock, random, logger, metrics, settings: { namespace } }: ProviderPorts) => {
  const transform = createLeanKeeping();
  const cacheOf = <T extends KubeObject>(resource: Resource<T>, indexes?: CacheOptions<T>['indexes']) =>
    createCache<T>({
      client,
      clock,
      random: random.stream(resource.plural),
      logger,
      resource,
      transform,
      ...(namespace === undefined || resource.scope === 'Cluster' ? {} : { namespace }),
      ...(indexes === undefined ? {} : { indexes }),
      ...(metrics === undefined ? {} : { metrics: metrics.cache }),
    });
  return {
    hosts: cacheOf(MAC_HOSTS, {
      claim: ({ spec }) => (spec.claimRef === undefined ? [] : [spec.claimRef.uid]),
      node: ({ spec }) => (spec.claimRef === undefined || isOrder(spec) ? [] : [spec.claimRef.name]),
    }),
    machines: cacheOf(MACHINES, { server: ({ status }) => (status?.serverID ? [status.serverID] : []) }),
    nodes: cacheOf(NODES, { provider: ({ spec }) => (spec?.providerID ? [spec.providerID] : []) }),
    clusters: cacheOf(CLUSTER_API_RESOURCES.clusters),
    shells: cacheOf(CLUSTERS),
    controlPlanes: cacheOf(CONTROL_PLANES),
    requests: cacheOf(CERTIFICATE_SIGNING_REQUESTS, REQUEST_INDEXES),
    pods: createCache<Pod>({
      ...{ client, clock, random: random.stream(PODS.plural), logger, resource: PODS, transform: keepOfPod },
      indexes: { node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) },
      ...(metrics === undefined ? {} : { metrics: metrics.cache }),
    }),
  };
};

/** Machines and Macs: whoever waits for its turn to have a server renamed is one or the other. */
const createLives = (
  ports: ProviderPorts,
  caches: ProviderCaches,
  { events, missed, strays }: Pick<MachineDeps, 'events' | 'missed' | 'strays'>,
): readonly Controller[] => {
  const { recordMaxAgeMs: goodForMs } = ports.settings.times;
  const wake = (name: string): void => {
    const host = caches.hosts.get(name);
    if (host?.spec.claimRef !== undefined) hosts.wake(name);
    else for (const key of host === undefined ? [] : machinesOf(caches, host)) machines.wake(key);
  };
  const turns = createTurns({ clock: ports.clock, places: WORKERS, goodForMs, wake });
  const hosts = createHostController(ports, caches, { events, turns });
  const machines = createMachineController({ ports, caches, events, missed, strays, turns });
  return [hosts, machines];
};

export const createManager = (ports: ProviderPorts): Manager => {
  const { client, clock, random, ids, logger, lease, metrics, remote, spread } = ports;
  const { namespace, originalsNamespace } = ports.settings;
  const caches = createCaches(ports);
  const { hosts, nodes, clusters, shells, controlPlanes, requests, pods } = caches;
  const signal = neverAborted();
  const events = createEventRecorder({ client, clock, ids, logger, component: EVENT_SOURCES.machine, signal });
  const lists = createCompleteLists();
  const strays = createKnownStrays();
  if (metrics !== undefined) measureFleet(metrics.registry, caches, namespace);
  return createKubeManager({
    name: 'macfleet-provider',
    client,
    clock,
    random,
    logger,
    caches: Object.values(caches),
    controllers: [
      createInventoryController(ports, caches, { lists, strays, onStrays: tellStrays({ ports, caches, events }) }),
      ...createLives(ports, caches, { events, strays, missed: createMissedHosts(clock, lists) }),
      createForgetMoved(caches.machines),
      createCsrApprover({
        ...{ requests, hosts, servingAddresses: ports.settings.servingAddresses ?? [] },
        ...(namespace === undefined ? {} : { namespace }),
      }),
      createStrandedPodsController({ pods, nodes, hosts, events }),
      createClusterController({ shells, clusters }, events),
      createControlPlaneController({ shells: controlPlanes, clusters }, events),
      ...(originalsNamespace === undefined
        ? []
        : [
            createOriginalsController({
              ...{ hosts, namespace: originalsNamespace },
              ...(namespace === undefined ? {} : { machineNamespace: namespace }),
            }),
          ]),
      ...(remote === undefined ? [] : [createKubeconfigController({ controlPlanes, clusters, remote })]),
      ...(spread === undefined ? [] : [createSpreadController(nodes, spread)]),
    ],
    events,
    ...(lease === undefined ? {} : { lease }),
    ...(metrics === undefined ? {} : { metrics }),
  });
};
