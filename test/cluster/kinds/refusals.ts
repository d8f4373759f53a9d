/** What people get wrong, as they type it, and the words they must find in the refusal to get it right. */

export interface Refusal {
  /** Ends the sentence "a … that". */
  readonly story: string;
  readonly kind: string;
  readonly yaml: string;
  readonly words: readonly string[];
}

const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1alpha1';

const row =
  (kind: string, apiVersion = INFRASTRUCTURE) =>
  (story: string, body: string, ...words: readonly string[]): Refusal => ({
    story,
    kind,
    yaml: `apiVersion: ${apiVersion}\nkind: ${kind}\n${body.includes('metadata:') ? '' : 'metadata: { name: mac-1 }\n'}${body}\n`,
    words,
  });

const machine = row('ScalewayAppleSiliconMachine');
const template = row('ScalewayAppleSiliconMachineTemplate');
const cluster = row('ScalewayAppleSiliconCluster');
const controlPlane = row('ScalewayAppleSiliconControlPlane');
const pool = row('RunnerPool', 'tuist.dev/v1alpha1');

const host = (story: string, spec: string, ...words: readonly string[]): Refusal => {
  const source = 'source: { scaleway: { projectID: p, zone: fr-par-1, serverID: mac-1 } }';
  return row('MacHost')(story, `spec: { ${spec.includes('source') ? '' : `${source}, `}${spec} }`, ...words);
};

const goodPool = 'image: i, fleetSelector: f, dispatchLabel: d, runnerLabels: [a]';

const machines: readonly Refusal[] = [
  machine('has a misspelt field', 'spec: { typ: M2-L }', 'unknown field "spec.typ"'),
  machine('has its fields beside its spec', 'type: M2-L', 'unknown field "type"'),
  machine('has a text for a number', 'spec: { hostCPU: "8" }', 'spec.hostCPU', 'integer'),
  machine('has half a CPU', 'spec: { hostCPU: 7.5 }', 'spec.hostCPU', 'must be of type int32'),
  machine('has more memory than there is', 'spec: { hostMemoryMB: 3000000000 }', 'spec.hostMemoryMB', 'int32'),
  machine('has a number for a type', 'spec: { type: 2 }', 'spec.type', 'string'),
  machine('buys its host', 'spec: { acquire: buy }', 'spec.acquire', '"buy"', '"pool", "order"'),
  machine('has a list for a spec', 'spec: [M2-L]', 'spec', 'object'),
  machine(
    'is a runner of no version',
    'spec: { ghActionsRunner: { ghOrg: tuist } }',
    'spec.ghActionsRunner.ghRunnerVersion',
    'Required',
  ),
  machine(
    'is a runner of an empty version',
    'spec: { ghActionsRunner: { ghRunnerVersion: "" } }',
    'spec.ghActionsRunner.ghRunnerVersion',
    'at least 1',
  ),
  machine('has an endless providerID', `spec: { providerID: ${'x'.repeat(513)} }`, 'spec.providerID', '512'),
  machine('has a name in capitals', 'metadata: { name: Mac-1 }', 'metadata.name', 'lower case'),
  row('ScalewayAppleSiliconMachine', 'infrastructure.cluster.x-k8s.io/v1beta1')(
    'is of a version that does not exist',
    'spec: {}',
    'no matches for kind',
    'v1beta1',
  ),
];

const shells: readonly Refusal[] = [
  template('has no spec', '', 'spec', 'Required'),
  template('has no machine spec', 'spec: { template: {} }', 'spec.template.spec', 'Required'),
  template(
    'names one host for all',
    'spec: { template: { spec: { providerID: x } } }',
    'unknown field "spec.template.spec.providerID"',
  ),
  template(
    'has a number for a label',
    'spec: { template: { metadata: { labels: { a: 7 } }, spec: {} } }',
    'spec.template.metadata.labels.a',
    'string',
  ),
  cluster(
    'has a port that does not exist',
    'spec: { controlPlaneEndpoint: { host: h, port: 70000 } }',
    'spec.controlPlaneEndpoint.port',
    '65535',
  ),
  cluster(
    'has a text for a port',
    'spec: { controlPlaneEndpoint: { host: h, port: "6443" } }',
    'spec.controlPlaneEndpoint.port',
    'integer',
  ),
  controlPlane('wants a version', 'spec: { version: v1.36.4 }', 'unknown field "spec.version"'),
];

const hosts: readonly Refusal[] = [
  host(
    'has another name than its server',
    'source: { scaleway: { projectID: p, zone: z, serverID: s } }',
    'metadata.name must equal spec.source.scaleway.serverID',
  ),
  host('comes from nowhere', 'source: {}', 'spec.source', 'set exactly one of scaleway and static'),
  host(
    'has no server and no order',
    'source: { scaleway: { projectID: p, zone: z } }',
    'needs source.scaleway.serverID, or order',
  ),
  host(
    'has no zone',
    'source: { scaleway: { projectID: p, serverID: mac-1 } }',
    'spec.source.scaleway.zone',
    'Required',
  ),
  host('is held for no reason', 'hold: {}', 'spec.hold.reason', 'Required'),
  host(
    'is held for a sentence',
    'hold: { reason: makes a noise }',
    'spec.hold.reason',
    'one word',
    'goes into message',
  ),
  host(
    'is to be scrapped',
    'release: { intentID: a, reason: Old, policy: scrap }',
    'spec.release.policy',
    '"pool", "terminate"',
  ),
  host('is to be released by nobody in particular', 'release: { reason: Old }', 'spec.release.intentID', 'Required'),
  host('is claimed by a name alone', 'claimRef: { namespace: a, name: b }', 'spec.claimRef.uid', 'Required'),
  host('has an empty pool prefix', 'pool: { prefix: "" }', 'spec.pool.prefix', 'at least 1'),
  host('goes below its first epoch', 'epoch: -1', 'spec.epoch', 'greater than or equal to 0'),
  host('was held on no day', 'hold: { reason: Noise, since: yesterday }', 'spec.hold.since', 'date-time'),
];

const pools: readonly Refusal[] = [
  pool('has no image', 'spec: { fleetSelector: f, dispatchLabel: d, runnerLabels: [] }', 'spec.image', 'Required'),
  pool(
    'has labels in one text',
    'spec: { image: i, fleetSelector: f, dispatchLabel: d, runnerLabels: "a,b" }',
    'spec.runnerLabels',
    'array',
  ),
  pool(
    'has fewer than no runners',
    `spec: { ${goodPool}, replicas: -1 }`,
    'spec.replicas',
    'greater than or equal to 0',
  ),
  pool('has a text for a count', `spec: { ${goodPool}, replicas: "3" }`, 'spec.replicas', 'integer'),
  pool('runs on something else', `spec: { ${goodPool}, os: windows }`, 'spec.os', '"darwin", "linux"'),
  pool(
    'replaces more than all at once',
    `spec: { ${goodPool}, rollout: { maxConcurrentPercent: 101 } }`,
    'spec.rollout.maxConcurrentPercent',
    'less than or equal to 100',
  ),
  pool(
    'lets nothing start',
    `spec: { ${goodPool}, provisioning: { maxConcurrentPerFleetSelector: 0 } }`,
    'spec.provisioning.maxConcurrentPerFleetSelector',
    'greater than or equal to 1',
  ),
];

export const REFUSALS: readonly Refusal[] = [...machines, ...shells, ...hosts, ...pools];
