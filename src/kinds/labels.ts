/**
 * The keys we write on objects, and read there. Clusters, runbooks and the Go original's fleets know them: a value here
 * never changes. Keys that Cluster API owns are in kube/types/cluster-api.ts.
 */
import { createHash } from 'node:crypto';

export const LABELS = {
  /** On a Node, Machine, MachineDeployment and on the objects of a fleet. */
  fleet: 'tuist.dev/fleet',
  /** The fleet once more, as a label a Node cannot set on itself: what our own manifests select on. */
  restrictedFleet: 'node-restriction.kubernetes.io/macfleet-fleet',
  /** On a Node: what runs its Pods. */
  runtime: 'tuist.dev/runtime',
  /** On objects the provider makes: by whom, and for which machine. */
  managedBy: 'tuist.dev/managed-by',
  machine: 'tuist.dev/machine',
  component: 'app.kubernetes.io/component',
  appName: 'app.kubernetes.io/name',
  /** On a Node, followed by a hash of the image: a golden image of it is there. */
  goldenPrefix: 'tuist.dev/golden-',
  /** On a Pod: it is a runner, and of which pool. */
  runner: 'tuist.dev/runner',
  runnerPool: 'tuist.dev/runner-pool',
  /** On a runner Pod, set by the server: who claimed it. Not empty means busy. */
  runnerPoolOwner: 'tuist.dev/runner-pool-owner',
  runnerAccount: 'tuist.dev/runner-account',
  /** On a runner Pod: the server sends it home instead of giving it a job. */
  drainEligible: 'tuist.dev/drain-eligible',
  runnerOperatorDrain: 'tuist.dev/runner-operator-drain',
} as const;

/** On a Node whose Mac holds a base to clone this image from. */
export const goldenLabelOf = (image: string): string => `${LABELS.goldenPrefix}${imageHashOf(image)}`;

/** How an image is told from others where its reference is too long: in labels and in names of VMs. */
export const imageHashOf = (image: string): string => createHash('sha256').update(image).digest('hex').slice(0, 16);

export const LABEL_VALUES = {
  runtimeTart: 'tart',
  managedByProvider: 'capi-scaleway-applesilicon',
  componentAgent: 'tart-kubelet',
  appRunner: 'tuist-runner',
  componentRunner: 'runner',
  componentRunnerAccount: 'runner-sa',
} as const;

export const ANNOTATIONS = {
  /** On a machine: `terminate` ends the rent instead of returning the Mac to its pool; anything else returns it. */
  releasePolicy: 'tuist.dev/release-policy',
  /** On the Secret of a fleet's SSH key: its id at Scaleway. */
  sshKeyId: 'scaleway.tuist.dev/ssh-key-id',
  /** On the same Secret: since when Scaleway puts the key on every Mac that it installs. */
  sshKeyKnownSince: 'macfleet.tuist.dev/ssh-key-known-since',
  /** On the same Secret: which key Scaleway knows, by a hash of its public half. */
  sshKeyFingerprint: 'macfleet.tuist.dev/ssh-key-fingerprint',
  /** On a Pod template: a hash of the Nodes that are ready. */
  fleetHash: 'tuist.dev/fleet-hash',
} as const;

export const FINALIZERS = {
  machine: 'scalewayapplesilicon.cluster.x-k8s.io/finalizer',
  macHost: 'macfleet.tuist.dev/host',
  runnerPool: 'tuist.dev/runner-pool-drain',
  pod: 'tart-kubelet.tuist.dev/vm-cleanup',
} as const;

/** Who listens to the token of a runner. A Node may ask for it only where a role says so. */
export const DISPATCH_AUDIENCE = 'tuist-runners-dispatch';

/** The taint that keeps other Pods away from Macs. */
export const MACOS_TAINT = { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' } as const;
