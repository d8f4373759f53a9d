/**
 * The CRDs of the Go original, as far as they decide what is valid: its schemas of May 2026 (a pool prefix was required,
 * the cluster shell was still there) and of August. Written from the facts in its specification, for tests of upgrade
 * and rollback.
 */

export const ERAS = ['May', 'August'] as const;
export type Era = (typeof ERAS)[number];

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const int: Schema = { type: 'integer' };
const int32: Schema = { type: 'integer', format: 'int32' };
const time: Schema = { type: 'string', format: 'date-time' };
const texts: Schema = { type: 'array', items: text };
const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

/** Cluster API's older condition: a reason only when it is not True, and a severity with it. */
const conditions: Schema = {
  type: 'array',
  items: object({ type: text, status: text, severity: text, reason: text, message: text, lastTransitionTime: time }, [
    'lastTransitionTime',
    'status',
    'type',
  ]),
};

const runner = (era: Era): Schema =>
  object(
    {
      ghOrg: { ...text, default: 'tuist' },
      ghRunnerLabels: { ...text, default: 'self-hosted,macos,bare-metal,vm-image-builder' },
      ghRunnerVersion: era === 'May' ? { ...text, default: '2.334.0' } : { ...text, minLength: 1 },
      ghAppSecretName: text,
    },
    era === 'May' ? [] : ['ghRunnerVersion'],
  );

const machineSpec = (era: Era): Schema =>
  object(
    {
      providerID: text,
      type: { ...text, default: 'M2-L' },
      zone: { ...text, default: 'fr-par-1' },
      os: { ...text, default: era === 'May' ? 'macos-tahoe-26.3' : 'Tahoe' },
      fleetName: text,
      kubeletVersion: text,
      hostCPU: int,
      hostMemoryMB: int,
      adoptPoolPrefix: era === 'May' ? { ...text, minLength: 1 } : text,
      ghActionsRunner: runner(era),
    },
    era === 'May' ? ['adoptPoolPrefix'] : [],
  );

const machineStatus = (era: Era): Schema =>
  object({
    ready: flag,
    serverID: text,
    addresses: { type: 'array', items: object({ type: text, address: text }, ['address', 'type']) },
    phase: text,
    failureReason: text,
    failureMessage: text,
    conditions,
    tartKubeletBinarySHA: text,
    tartKubeletUpdateAttempts: int32,
    bootstrapAttempts: int32,
    bootstrapRebootIssued: flag,
    ...(era === 'August' && { hostConfigHash: text, failedHostConfigHash: text, lastUpdateFailureTime: time }),
  });

const count = (more: Schema): Schema => ({ ...int32, ...more });

const poolSpec = (era: Era): Schema =>
  object(
    {
      labels: texts,
      replicas: count({ minimum: 0, default: 0 }),
      image: text,
      fleetSelector: text,
      dispatchLabel: text,
      runnerLabels: texts,
      os: { ...text, enum: ['darwin', 'linux'], default: 'darwin' },
      podCPUMilli: count({ default: 8_000 }),
      podMemoryMB: count({ default: 14_336 }),
      runtimeClass: text,
      autoscaling: object({
        enabled: { ...flag, default: false },
        minWarmPoolFloor: count({ minimum: 0, default: 1 }),
        maxReplicas: count({ minimum: 0, default: 0 }),
        scaleDownCooldownSeconds: count({ minimum: 0, default: 300 }),
      }),
      ...(era === 'August' && {
        idleTimeoutSeconds: count({ default: 0 }),
        rollout: object({ maxConcurrentPercent: count({ minimum: 1, maximum: 100, default: 5 }) }),
        provisioning: object({
          maxConcurrentPerFleetSelector: count({ minimum: 1, default: 4 }),
          startTimeoutSeconds: count({ minimum: 0, default: 300 }),
        }),
      }),
    },
    ['dispatchLabel', 'fleetSelector', 'image', 'runnerLabels'],
  );

const poolStatus = object({
  observedReplicas: int32,
  lastReconcile: time,
  lastScaleDownAt: time,
  observedImage: text,
  imageRolledAt: time,
});

interface Definition {
  readonly kind: string;
  readonly shortName: string;
  readonly spec: Schema;
  readonly status?: Schema;
}

const definitionsOf = (era: Era): readonly Definition[] => [
  { kind: 'ScalewayAppleSiliconMachine', shortName: 'samm', spec: machineSpec(era), status: machineStatus(era) },
  {
    kind: 'ScalewayAppleSiliconMachineTemplate',
    shortName: 'sammt',
    spec: object({ template: object({ spec: machineSpec(era) }, ['spec']) }, ['template']),
  },
  { kind: 'RunnerPool', shortName: 'rpool', spec: poolSpec(era), status: poolStatus },
  ...(era === 'May' ? [{ ...shellOf('ScalewayAppleSiliconCluster'), shortName: 'sasc' }] : []),
];

const shellOf = (kind: string) => ({
  kind,
  spec: object({ controlPlaneEndpoint: object({ host: text, port: int32 }) }),
  status: object({ ready: flag, conditions }),
});

/** What the published schema of a kind says while the CRDs of that time are installed. */
export const describeGoKind = (era: Era, kind: string): string => `${kind} as it was in ${era}.`;

export const goKindsOf = (era: Era): readonly string[] => definitionsOf(era).map(({ kind }) => kind);

/** The CRDs of that time as a List, ready for `kubectl apply`. */
export const goDefinitions = (era: Era) => ({
  apiVersion: 'v1',
  kind: 'List',
  items: definitionsOf(era).map((definition) => toDefinition(era, definition)),
});

/** The shell of a Cluster since July, in place of ours. */
export const tuistClusterDefinition = () => toDefinition('August', { ...shellOf('TuistCluster'), shortName: 'tcl' });

const toDefinition = (era: Era, { kind, shortName, spec, status }: Definition) => {
  const isPool = kind === 'RunnerPool';
  const group = isPool ? 'tuist.dev' : 'infrastructure.cluster.x-k8s.io';
  const plural = `${kind.toLowerCase()}s`;
  const common = { apiVersion: text, kind: text, metadata: { type: 'object' } };
  const openAPIV3Schema = {
    ...object({ ...common, spec, ...(status !== undefined && { status }) }),
    description: describeGoKind(era, kind),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...(!isPool && { labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha1' } }) },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames: [shortName] },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          ...(status !== undefined && { subresources: { status: {} } }),
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
};
