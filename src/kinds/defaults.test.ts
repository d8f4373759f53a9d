import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseControlPlane } from './control-plane.ts';
import { parseMacHost } from './mac-host.ts';
import { type MachineSpec, parseMachine } from './machine.ts';
import { parseMachineTemplate } from './machine-template.ts';
import { parseRunnerPool } from './runner-pool.ts';
import { SERVER_ID } from './testing/hosts.ts';

const metadata = { name: 'a' };
const machineDefaults: MachineSpec = { type: 'M2-L', zone: 'fr-par-1', os: 'Tahoe', acquire: 'pool' };
const pool = { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: [] };

describe('defaults', () => {
  it('give a machine the type, zone and system of the original, and a host from the pool', () => {
    assert.deepEqual(parseMachine({ metadata, spec: {} }).spec, machineDefaults);
  });

  it('fill a machine that has no spec at all', () => {
    assert.deepEqual(parseMachine({ metadata }).spec, machineDefaults);
    assert.deepEqual(parseControlPlane({ metadata }).spec, {});
  });

  it('fill the machine of a template', () => {
    const { spec } = parseMachineTemplate({ metadata, spec: { template: { spec: { zone: 'fr-par-3' } } } });
    assert.deepEqual(spec.template.spec, { ...machineDefaults, zone: 'fr-par-3' });
  });

  it('give a builder its organisation and labels, not its version', () => {
    const { spec } = parseMachine({ metadata, spec: { ghActionsRunner: { ghRunnerVersion: '2.340.1' } } });
    assert.deepEqual(spec.ghActionsRunner, {
      ghOrg: 'tuist',
      ghRunnerLabels: 'self-hosted,macos,bare-metal,vm-image-builder',
      ghRunnerVersion: '2.340.1',
    });
  });

  it('start the counters and budgets of a host at zero', () => {
    const source = { scaleway: { projectID: 'p', zone: 'z', serverID: SERVER_ID } };
    const { spec } = parseMacHost({ metadata: { name: SERVER_ID }, spec: { source } });
    assert.deepEqual(spec, {
      source,
      ordered: false,
      wipes: 0,
      epoch: 0,
      budgets: {
        bootstrap: { failures: 0 },
        reboots: { sinceClaim: 0, times: [] },
        returns: 0,
        sudo: { tries: [] },
        roll: { failures: 0 },
      },
    });
  });

  it('fill a pool, also where a whole section is absent', () => {
    assert.deepEqual(parseRunnerPool({ metadata, spec: pool }).spec, {
      ...pool,
      replicas: 0,
      os: 'darwin',
      podCPUMilli: 8000,
      podMemoryMB: 14336,
      idleTimeoutSeconds: 0,
      autoscaling: { enabled: false, minWarmPoolFloor: 1, maxReplicas: 0, scaleDownCooldownSeconds: 300 },
      rollout: { maxConcurrentPercent: 5 },
      provisioning: { maxConcurrentPerFleetSelector: 4, startTimeoutSeconds: 300 },
    });
  });

  it('leave a zero that was written on purpose (#11894)', () => {
    const autoscaling = { enabled: true, minWarmPoolFloor: 0, maxReplicas: 0, scaleDownCooldownSeconds: 0 };
    const provisioning = { maxConcurrentPerFleetSelector: 1, startTimeoutSeconds: 0 };
    const read = parseRunnerPool({ metadata, spec: { ...pool, podCPUMilli: 0, autoscaling, provisioning } });
    const again = parseRunnerPool(JSON.parse(JSON.stringify(read)));
    assert.partialDeepStrictEqual(again.spec, { podCPUMilli: 0, autoscaling, provisioning });
  });
});
