/** Objects that say as little as a person may, or say nothing in a roundabout way: where defaults do the rest. */
import { SERVER_ID } from '../../../src/kinds/testing/hosts.ts';
import type { Sample } from '../../../src/kinds/testing/parsers.ts';

const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io/v1alpha1';
const metadata = { name: 'least', namespace: 'tuist' };

const row = (story: string, kind: Sample['kind'], body: object): Sample => ({
  story,
  kind,
  object: { apiVersion: kind === 'RunnerPool' ? 'tuist.dev/v1alpha1' : INFRASTRUCTURE, kind, metadata, ...body },
});

const pool = { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: [] };

export const MINIMAL_OBJECTS: readonly Sample[] = [
  row('without a spec', 'ScalewayAppleSiliconMachine', {}),
  row('with an empty spec', 'ScalewayAppleSiliconMachine', { spec: {} }),
  row('with a runner of which only the version is known', 'ScalewayAppleSiliconMachine', {
    spec: { ghActionsRunner: { ghRunnerVersion: '2.340.1' } },
  }),
  row('with an empty machine spec', 'ScalewayAppleSiliconMachineTemplate', { spec: { template: { spec: {} } } }),
  row('without a spec', 'ScalewayAppleSiliconCluster', {}),
  row('without a spec', 'ScalewayAppleSiliconControlPlane', {}),
  row('with a source alone', 'MacHost', {
    metadata: { name: SERVER_ID },
    spec: { source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: SERVER_ID } } },
  }),
  row('with half of a budget', 'MacHost', {
    metadata: { name: SERVER_ID },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: SERVER_ID } },
      budgets: { bootstrap: { failures: 2 } },
      release: { intentID: 'a', reason: 'Broken' },
    },
  }),
  row('with the required fields alone', 'RunnerPool', { spec: pool }),
  row('with zeros that are meant', 'RunnerPool', {
    spec: {
      ...pool,
      autoscaling: { minWarmPoolFloor: 0, scaleDownCooldownSeconds: 0 },
      provisioning: { startTimeoutSeconds: 0 },
    },
  }),
];
