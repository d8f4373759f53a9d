/** For tests: objects that cannot be read, and the field that the error must name. */
import { CLAIM, hostWith } from './hosts.ts';
import type { Sample } from './parsers.ts';

export interface WrongSample extends Sample {
  readonly path: string;
  /** An API server takes care of this itself: metadata, kind, version. */
  readonly isOutsideSchema?: true;
}

const metadata = { name: 'a', namespace: 'tuist' };

const row =
  (kind: Sample['kind']) =>
  (story: string, path: string, body: object, more: object = {}): WrongSample => {
    const apiVersion = kind === 'RunnerPool' ? 'tuist.dev/v1alpha1' : 'infrastructure.cluster.x-k8s.io/v1alpha1';
    return { story, kind, path, object: { apiVersion, kind, metadata, ...body }, ...more };
  };

const machine = row('ScalewayAppleSiliconMachine');
const template = row('ScalewayAppleSiliconMachineTemplate');
const cluster = row('ScalewayAppleSiliconCluster');
const controlPlane = row('ScalewayAppleSiliconControlPlane');
const pool = row('RunnerPool');
const host = (story: string, path: string, spec: Readonly<Record<string, unknown>>): WrongSample => ({
  story,
  kind: 'MacHost',
  path,
  object: hostWith(spec),
});

const outside = { isOutsideSchema: true } as const;
const goodPool = { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: ['a'] };

export const WRONG_OBJECTS: readonly WrongSample[] = [
  machine('has no metadata', 'metadata', { metadata: undefined, spec: {} }, outside),
  machine('has a number for a name', 'metadata.name', { metadata: { name: 7 }, spec: {} }, outside),
  machine('has an empty name', 'metadata.name', { metadata: { name: '' }, spec: {} }, outside),
  machine('has labels that are a list', 'metadata.labels', { metadata: { name: 'a', labels: [] }, spec: {} }, outside),
  machine('is of another kind', 'kind', { kind: 'Machine', spec: {} }, outside),
  machine('is of another version', 'apiVersion', { apiVersion: 'v1', spec: {} }, outside),
  machine('has a list for a spec', 'spec', { spec: [] }),
  machine('has a text for a spec', 'spec', { spec: 'M2-L' }),
  machine('has a number for a type', 'spec.type', { spec: { type: 2 } }),
  machine('has a text for a number', 'spec.hostCPU', { spec: { hostCPU: '8' } }),
  machine('has half a CPU', 'spec.hostCPU', { spec: { hostCPU: 7.5 } }),
  machine('has more memory than 32 bits count', 'spec.hostMemoryMB', { spec: { hostMemoryMB: 2 ** 31 } }),
  machine('acquires its host by theft', 'spec.acquire', { spec: { acquire: 'steal' } }),
  machine('has a runner without a version', 'spec.ghActionsRunner.ghRunnerVersion', { spec: { ghActionsRunner: {} } }),
  machine('has a runner with an empty version', 'spec.ghActionsRunner.ghRunnerVersion', {
    spec: { ghActionsRunner: { ghRunnerVersion: '' } },
  }),
  machine('has an endless providerID', 'spec.providerID', { spec: { providerID: 'x'.repeat(513) } }),
  machine('has a list for a status', 'status', { spec: {}, status: [] }),
  machine('has conditions that are no list', 'status.conditions', { spec: {}, status: { conditions: {} } }),
  machine('has an address of no kind', 'status.addresses.0.type', {
    spec: {},
    status: { addresses: [{ type: 'Street', address: '1' }] },
  }),
  machine('failed at a time that is none', 'status.lastUpdateFailureTime', {
    spec: {},
    status: { lastUpdateFailureTime: 'yesterday' },
  }),
  machine('is ready by word', 'status.ready', { spec: {}, status: { ready: 'yes' } }),
  template('has no spec', 'spec', {}),
  template('has no template', 'spec.template', { spec: {} }),
  template('has no machine spec', 'spec.template.spec', { spec: { template: {} } }),
  template('has a number for a label', 'spec.template.metadata.labels.a', {
    spec: { template: { metadata: { labels: { a: 7 } }, spec: {} } },
  }),
  cluster('has a port that does not exist', 'spec.controlPlaneEndpoint.port', {
    spec: { controlPlaneEndpoint: { host: 'h', port: 70_000 } },
  }),
  cluster('has a failure domain without a name', 'status.failureDomains.0.name', {
    spec: {},
    status: { failureDomains: [{ controlPlane: false }] },
  }),
  controlPlane('is initialized by word', 'status.initialization.controlPlaneInitialized', {
    spec: {},
    status: { initialization: { controlPlaneInitialized: 'true' } },
  }),
  host('has no source', 'spec.source', { source: undefined }),
  host('has a source without a zone', 'spec.source.scaleway.zone', { source: { scaleway: { projectID: 'p' } } }),
  host('is claimed by nobody in particular', 'spec.claimRef.uid', { claimRef: { ...CLAIM, uid: undefined } }),
  host('has an empty pool prefix', 'spec.pool.prefix', { pool: { prefix: '' } }),
  host('is to be released without a reason', 'spec.release.reason', { release: { intentID: 'i' } }),
  host('is to be scrapped', 'spec.release.policy', { release: { intentID: 'i', reason: 'Old', policy: 'scrap' } }),
  host('has a reason with spaces', 'spec.hold.reason', { hold: { reason: 'just because' } }),
  host('has a negative epoch', 'spec.epoch', { epoch: -1 }),
  host('has a count of wipes past what JSON carries', 'spec.wipes', { wipes: 2 ** 60 }),
  host('was last written by magic', 'spec.lastWrite.verb', {
    lastWrite: { verb: 'wish', id: 'w', at: '2026-11-15T10:00:00Z' },
  }),
  pool('has no image', 'spec.image', { spec: { ...goodPool, image: undefined } }),
  pool('has fewer than no runners', 'spec.replicas', { spec: { ...goodPool, replicas: -1 } }),
  pool('runs on something else', 'spec.os', { spec: { ...goodPool, os: 'plan9' } }),
  pool('rolls more than everything', 'spec.rollout.maxConcurrentPercent', {
    spec: { ...goodPool, rollout: { maxConcurrentPercent: 101 } },
  }),
];
