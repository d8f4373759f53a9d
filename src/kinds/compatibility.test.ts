import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLUSTER_API_ANNOTATIONS } from '../kube/types/cluster-api.ts';
import { CLUSTERS } from './cluster.ts';
import { CONDITIONS, REASONS } from './condition-reasons.ts';
import { CONTROL_PLANES } from './control-plane.ts';
import { ANNOTATIONS, FINALIZERS, LABEL_VALUES, LABELS, MACOS_TAINT } from './labels.ts';
import { HOST_STATES, MAC_HOSTS } from './mac-host.ts';
import { MACHINES } from './machine.ts';
import { MACHINE_TEMPLATES } from './machine-template.ts';
import { RUNNER_POOLS } from './runner-pool.ts';

describe('what fleets, runbooks and alerts of the Go original know', () => {
  it('are its reasons why a machine has no host', () => {
    const { provisioned } = REASONS.machine;
    const reasons = new Set<string>(Object.values(provisioned));
    for (const reason of [
      'NoAdoptPoolPrefix',
      'InvalidOSPin',
      'NoAvailableHost',
      'ScalewayAdoptFailed',
      'CredentialsPersistFailed',
      'HostReleased',
    ]) {
      assert.ok(reasons.has(reason), reason);
    }
  });

  it('are its reasons why a host is not bootstrapped', () => {
    const reasons = new Set<string>(Object.values(REASONS.machine.bootstrapped));
    for (const reason of [
      'SSHKeyUnavailable',
      'CredentialsRefreshFailed',
      'MissingSudoPassword',
      'NodeMissing',
      'NodeIdentityUnavailable',
      'KubeconfigUnavailable',
      'TailscaleAuthKeyUnavailable',
      'GHRunnerRegistrationTokenUnavailable',
      'CachePrivateNetworkUnavailable',
      'BootstrapFailed',
    ]) {
      assert.ok(reasons.has(reason), reason);
    }
  });

  it('are its condition types', () => {
    assert.equal(CONDITIONS.machine.provisioned, 'Provisioned');
    assert.equal(CONDITIONS.machine.bootstrapped, 'Bootstrapped');
  });

  it('are the names its kinds have on the wire, and ours beside them', () => {
    const kinds = [MACHINES, MACHINE_TEMPLATES, CLUSTERS, CONTROL_PLANES, MAC_HOSTS, RUNNER_POOLS];
    assert.deepEqual(
      kinds.map(({ group, version, plural, scope }) => `${scope} ${plural}.${group}/${version}`),
      [
        'Namespaced scalewayapplesiliconmachines.infrastructure.cluster.x-k8s.io/v1alpha1',
        'Namespaced scalewayapplesiliconmachinetemplates.infrastructure.cluster.x-k8s.io/v1alpha1',
        'Namespaced scalewayapplesiliconclusters.infrastructure.cluster.x-k8s.io/v1alpha1',
        'Namespaced scalewayapplesiliconcontrolplanes.infrastructure.cluster.x-k8s.io/v1alpha1',
        'Cluster machosts.infrastructure.cluster.x-k8s.io/v1alpha1',
        'Namespaced runnerpools.tuist.dev/v1alpha1',
      ],
    );
  });

  it('are its finalizers', () => {
    assert.equal(FINALIZERS.machine, 'scalewayapplesilicon.cluster.x-k8s.io/finalizer');
    assert.equal(FINALIZERS.runnerPool, 'tuist.dev/runner-pool-drain');
    assert.equal(FINALIZERS.pod, 'tart-kubelet.tuist.dev/vm-cleanup');
  });

  it('are its labels and annotations', () => {
    assert.equal(LABELS.fleet, 'tuist.dev/fleet');
    assert.equal(LABELS.managedBy, 'tuist.dev/managed-by');
    assert.equal(LABEL_VALUES.managedByProvider, 'capi-scaleway-applesilicon');
    assert.equal(LABELS.machine, 'tuist.dev/machine');
    assert.equal(LABELS.runnerPoolOwner, 'tuist.dev/runner-pool-owner');
    assert.equal(ANNOTATIONS.releasePolicy, 'tuist.dev/release-policy');
    assert.equal(ANNOTATIONS.sshKeyId, 'scaleway.tuist.dev/ssh-key-id');
    assert.equal(ANNOTATIONS.fleetHash, 'tuist.dev/fleet-hash');
    assert.equal(CLUSTER_API_ANNOTATIONS.paused, 'cluster.x-k8s.io/paused');
    assert.deepEqual(MACOS_TAINT, { key: 'tuist.dev/macos', value: 'true', effect: 'NoSchedule' });
  });

  it('are reasons that can be stored', () => {
    const words = JSON.stringify(REASONS).match(/(?<=:")[^"]+/g) ?? [];
    assert.ok(words.length > 40);
    for (const word of words) assert.match(word, /^[A-Z][A-Za-z]*$/);
  });
});

describe('the life of a host', () => {
  it('has nine states', () => {
    assert.deepEqual(HOST_STATES.toSorted(), [
      'claimed',
      'free',
      'held',
      'joined',
      'preparing',
      'quarantined',
      'releasing',
      'terminating',
      'wiping',
    ]);
  });
});
