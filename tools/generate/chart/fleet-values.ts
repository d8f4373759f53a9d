/** The values of the three fleets, under the keys of the Go original's chart. */
import * as z from 'zod';
import { anyObject, choice, count, flag, group, maybeCount, maybeText, refused, text, texts } from './value-fields.ts';

const storeRef = group('Where External Secrets finds the vault.', {
  kind: text('Kind of the store.', 'ClusterSecretStore'),
  name: text('Its name.', 'onepassword'),
});

/** An ExternalSecret; `field` where a single key is synced. */
export const externalSecret = (item: string, more: z.core.$ZodLooseShape = {}) =>
  group('An ExternalSecret that syncs it from a vault. Needs the External Secrets operator.', {
    enabled: flag('Whether there is one.'),
    refreshInterval: text('How often it looks at the vault.', '1h'),
    item: text('The item in the vault.', item),
    ...more,
    storeRef,
  });

const machine = group('The Macs of this fleet.', {
  type: text('Scaleway server type.', 'M2-L'),
  zone: text('Scaleway zone.', 'fr-par-1'),
  os: text('Release family of macOS, not an image.', 'Tahoe'),
  hostCPU: maybeCount('CPUs that a Node offers; without it macosFleet.tartKubelet.hostCPU.'),
  hostMemoryMB: maybeCount('Memory that a Node offers, in MiB; without it macosFleet.tartKubelet.hostMemoryMB.'),
  acquire: choice('Where Macs come from: adopted from the pool, or rented within the spend guard.', ['pool', 'order']),
});

const POOL = 'tuist-pool-';
const prefix = () => text('How the names of free Macs begin that this fleet adopts.', POOL);
const fleetName = () =>
  text('Name of the MachineDeployment, of the fleet and its SSH key; without it <fullname>-<…>-fleet.');

const image = group('Of the manager, as the original has it; without it the top-level image.', {
  repository: text('Repository of the image.'),
  tag: text('Its tag.'),
  pullPolicy: text('When it is pulled.'),
});

export const macosFleet = group(
  'Macs for ordinary macOS Deployments. Its other settings hold for the manager, and so for all fleets.',
  {
    enabled: flag('Whether there is this fleet.'),
    name: fleetName(),
    replicas: count('How many Macs. null: whoever scales the MachineDeployment says.', 1),
    adoptPoolPrefix: prefix(),
    machine,
    image,
    apiServerURL: text('The API server as Macs reach it; without it that of kube-public/cluster-info.'),
    tartKubelet: group('What a Node offers, where its fleet does not say.', {
      hostCPU: count('CPUs.', 8, 1),
      hostMemoryMB: count('Memory in MiB. macOS keeps about 2 GB for itself.', 14_336, 1),
      maxPods: count('Pods, DaemonSets and updates counted in. Tart still runs two VMs at most.', 3, 1),
    }),
    scaleway: group('The API key of the Scaleway project.', {
      secretName: text(
        'Secret in the namespace of the release with access-key, secret-key and project-id; without it <fullname>-capi-scaleway-applesilicon.',
      ),
      credentials: group(
        'The key itself, for which the chart then makes that Secret. Better: a Secret of your own, or an ExternalSecret.',
        {
          accessKey: text('SCW and 17 letters and digits.'),
          secretKey: text('A UUID.'),
          projectId: text('A UUID.'),
        },
      ),
      externalSecrets: externalSecret('SCALEWAY_API'),
      apiUrl: text('Another address of the API: a simulated project.'),
    }),
    kubeletVersion: refused(),
    controlPlane: refused(),
    orphanReclaim: group('Macs whose machine vanished. They are held, and a person releases them.', {
      activeReclaim: flag(
        'Whether those of this release are wiped and put back by themselves after a quarter of an hour, one at a time.',
      ),
    }),
    runnerCacheVolume: refused(),
    tailscale: refused(),
    tailscaleEgress: refused(),
    hostLogs: refused(),
    vmClusterEgress: refused(),
    vmCachePrivateNetwork: refused(),
    sshIngressAllowCIDRs: refused(),
  },
);

const autoscaling = z
  .strictObject({
    enabled: z.boolean().optional(),
    minWarmPoolFloor: z.int32().min(0).optional(),
    maxReplicas: z.int32().min(0).optional(),
    scaleDownCooldownSeconds: z.int32().min(0).optional(),
  })
  .optional()
  .describe(
    'Lets the controller set replicas from the load: enabled false, minWarmPoolFloor 1, maxReplicas 0, scaleDownCooldownSeconds 300.',
  );

/** What one pool may say of itself, and `xcodeOverrides` of a version. */
const poolFields = {
  replicas: maybeCount('Runners; of no effect with autoscaling.'),
  runnerLabels: z.array(z.string()).optional().describe('Labels of a runner at GitHub: self-hosted, macOS, ARM64.'),
  pod: z
    .strictObject({ cpuMilli: z.int32().min(1).optional(), memoryMB: z.int32().min(1).optional() })
    .optional()
    .describe('Size of a runner: cpuMilli, memoryMB.'),
  autoscaling,
  rollout: z.strictObject({ maxConcurrentPercent: z.int32().min(1).max(100).optional() }).optional(),
  idleTimeoutSeconds: maybeCount('A runner without a job ends itself after this long.'),
};

const pool = z.strictObject({
  name: z.string().describe('Name of the pool, after <fullname>-runner-pool-.'),
  runnerImage: z.string().describe('Image of the virtual machine.'),
  dispatchLabel: z.string().describe('Label by which jobs ask for it.'),
  ...poolFields,
});

const xcodeVersion = z.union([z.string(), z.strictObject({ version: z.string(), default: z.boolean().optional() })]);

export const runnersFleet = group('Macs for runners of CI jobs, the pools of runners, and their controller.', {
  enabled: flag('Whether there is this fleet.'),
  name: fleetName(),
  hostCount: count('How many Macs. null: whoever scales the MachineDeployment says.', 0),
  namespace: text('Where pools and runners are.', 'tuist-runners'),
  adoptPoolPrefix: prefix(),
  machine,
  networkPolicy: group(
    'Network policies for Pods of runners. They do not bind virtual machines: those are limited on the Mac.',
    {
      enabled: flag('Whether there are any.', true),
      exceptCIDRs: texts('Networks that runners do not reach on 80 and 443.'),
    },
  ),
  pools: z
    .array(pool)
    .default([])
    .describe('Pools by name: name, runnerImage and dispatchLabel, and what poolFields say.'),
  shapes: z
    .array(z.strictObject({ vcpus: z.int32().min(1), memoryGb: z.int32().min(1), default: z.boolean().optional() }))
    .default([{ vcpus: 6, memoryGb: 14, default: true }])
    .describe('Sizes of runners; the default one is that of xcodeVersions.'),
  xcodeVersions: z
    .array(xcodeVersion)
    .default([])
    .describe('A pool for each version of Xcode: 26.0, or {version, default}.'),
  xcodeOverrides: z
    .record(z.string(), z.strictObject({ ...poolFields, imageTag: maybeText('Tag of its image.') }))
    .default({})
    .describe('By version, what its pool has differently. A map, because Helm does not merge lists.'),
  runnerImageRepository: text('Repository of the images of xcodeVersions.', 'ghcr.io/tuist/tuist-runner'),
  runnerImageSemver: text('Version of those images.'),
  idleTimeoutSeconds: count('A runner without a job ends itself after this long; 0: never.', 300),
});

export const buildersFleet = group(
  'Macs that are GitHub runners themselves, without virtual machines: they build images.',
  {
    enabled: flag('Whether there is this fleet.'),
    name: fleetName(),
    replicas: count('How many Macs. null: whoever scales the MachineDeployment says.', 0),
    adoptPoolPrefix: prefix(),
    machine,
    ghOrg: text('Organisation at GitHub.', 'tuist'),
    ghRunnerLabels: text('Labels of the runner, with commas.', 'self-hosted,macos,bare-metal,vm-image-builder'),
    ghRunnerVersion: text('Version of the runner that is installed first.', '2.336.0'),
    ghAppSecretName: text(
      'Secret with app-id, installation-id and private-key of the GitHub App; without it <fleet>-gh-app.',
    ),
    externalSecrets: externalSecret('GITHUB_APP'),
  },
);

export const podPlacement = {
  nodeSelector: anyObject('Where its Pods may run, besides kubernetes.io/os: linux.'),
  tolerations: z.array(z.unknown()).default([]).describe('What its Pods put up with.'),
};
