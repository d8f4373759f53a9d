/** One well-filled object of each kind, and what `kubectl get -o wide` must show of it. */
import { CLAIM, hostWith, SERVER_ID } from '../../../src/kinds/testing/hosts.ts';
import type { Sample } from '../../../src/kinds/testing/parsers.ts';

export interface Example extends Pick<Sample, 'kind' | 'object'> {
  /** The cells of the wide table after the name, without the age. */
  readonly cells: readonly string[];
}

const AT = '2026-11-15T10:00:00Z';
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1alpha1';
const metadata = { name: 'mac-1', namespace: 'tuist' };
const providerID = `scw-applesilicon://fr-par-1/${SERVER_ID}`;
const ready = (reason: string) => ({
  type: 'Ready',
  status: 'True',
  reason,
  message: '',
  lastTransitionTime: AT,
  observedGeneration: 1,
});

export const EXAMPLES: readonly Example[] = [
  {
    kind: 'ScalewayAppleSiliconMachine',
    object: {
      apiVersion: INFRASTRUCTURE,
      kind: 'ScalewayAppleSiliconMachine',
      metadata,
      spec: {
        providerID,
        acquire: 'pool',
        adoptPoolPrefix: 'tuist-pool-',
        fleetName: 'macs',
        hostCPU: 8,
        hostMemoryMB: 14_336,
      },
      status: {
        initialization: { provisioned: true },
        ready: true,
        serverID: SERVER_ID,
        addresses: [{ type: 'ExternalIP', address: '51.159.120.2' }],
        failureDomain: 'fr-par-1',
        phase: 'Ready',
        hostConfigHash: 'aa11',
        bootstrapAttempts: 0,
        conditions: [ready('Joined')],
      },
    },
    cells: ['Ready', providerID, 'true', SERVER_ID, 'macs'],
  },
  {
    kind: 'ScalewayAppleSiliconMachineTemplate',
    object: {
      apiVersion: INFRASTRUCTURE,
      kind: 'ScalewayAppleSiliconMachineTemplate',
      metadata,
      spec: {
        template: {
          metadata: { labels: { team: 'ci' }, annotations: { note: 'x' } },
          spec: { type: 'M4-S', zone: 'fr-par-3', os: 'Sequoia', adoptPoolPrefix: 'tuist-pool-' },
        },
      },
      status: {
        capacity: { cpu: '8', memory: '14Gi' },
        nodeInfo: { architecture: 'arm64', operatingSystem: 'darwin' },
        conditions: [ready('Known')],
      },
    },
    cells: ['M4-S', 'fr-par-3', 'Sequoia', 'tuist-pool-'],
  },
  {
    kind: 'ScalewayAppleSiliconCluster',
    object: {
      apiVersion: INFRASTRUCTURE,
      kind: 'ScalewayAppleSiliconCluster',
      metadata,
      spec: { controlPlaneEndpoint: { host: 'api.example.org', port: 6443 } },
      status: {
        initialization: { provisioned: true },
        ready: true,
        failureDomains: [{ name: 'fr-par-1', controlPlane: false, attributes: { city: 'Paris' } }],
        conditions: [ready('Provisioned')],
      },
    },
    cells: ['api.example.org', 'true'],
  },
  {
    kind: 'ScalewayAppleSiliconControlPlane',
    object: {
      apiVersion: INFRASTRUCTURE,
      kind: 'ScalewayAppleSiliconControlPlane',
      metadata,
      spec: {},
      status: {
        initialization: { controlPlaneInitialized: true },
        externalManagedControlPlane: true,
        conditions: [{ ...ready('Reachable'), type: 'Available' }],
      },
    },
    cells: ['true', 'true'],
  },
  {
    kind: 'MacHost',
    object: {
      ...hostWith({
        claimRef: CLAIM,
        hold: { reason: 'Investigating', since: AT },
        assignedName: { current: 'mac-1' },
      }),
      status: {
        state: 'held',
        stateSince: AT,
        server: { name: 'mac-1', status: 'ready', address: '51.159.120.2', seenAt: AT },
        operation: { kind: 'bootstrap', epoch: 7, startedAt: AT, steps: [{ id: 'agent', state: 'done' }] },
        conditions: [ready('Held')],
      },
    },
    cells: ['held', 'tuist-pool-', 'M2-L', 'mac-1', 'mac-1', 'tuist', 'ready', '51.159.120.2', 'Investigating', '3'],
  },
  {
    kind: 'RunnerPool',
    object: {
      apiVersion: 'tuist.dev/v1alpha1',
      kind: 'RunnerPool',
      metadata,
      spec: {
        image: 'tuist/runner:1',
        fleetSelector: 'runners',
        dispatchLabel: 'tuist-macos',
        runnerLabels: ['self-hosted', 'macOS'],
        replicas: 2,
      },
      status: {
        observedReplicas: 2,
        selector: 'tuist.dev/runner-pool=mac-1',
        observedImage: 'tuist/runner:1',
        conditions: [ready('Full')],
      },
    },
    cells: ['2', '2', 'tuist-macos', 'runners', 'tuist/runner:1'],
  },
];
