/** S40: over a fixed set of stories our identities use every right that their roles give them, or it says here who else needs it. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../../kinds/mac-host.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { createFleetKeys } from '../../provider/identity/fleet-keys.ts';
import { PROVIDER_ROLES } from '../../provider/roles.ts';
import { FOLDED_PACE } from '../fleet-pace.ts';
import { createFleetWorld, type FleetWorld } from '../fleet-world.ts';
import { createRights, refusedOf, unusedOf } from './rights.ts';
import { startFleet } from './start-fleet.ts';

type RoleName = keyof typeof PROVIDER_ROLES;

/** What no request of these stories shows: why it is needed all the same, and what shows it. */
const DECLARED: readonly { readonly right: string; readonly why: string; readonly shown: string }[] = [
  {
    right: 'manager manage infrastructure.cluster.x-k8s.io/machosts',
    why: 'asked by the policy that guards MacHosts, not by a request',
    shown: 'src/kinds/policies/mac-host-guard.ts',
  },
  {
    right: 'manager approve certificates.k8s.io/signers',
    why: 'asked by the API server of whoever approves',
    shown: 'test/cluster/node-identity.test.ts',
  },
  ...['scalewayapplesiliconclusters', 'scalewayapplesiliconcontrolplanes'].map((kind) => ({
    right: `manager patch infrastructure.cluster.x-k8s.io/${kind}`,
    why: 'objects of the Go original are brought into form',
    shown: 'src/kube/controller/save.ts',
  })),
  {
    right: 'clusterInfo get /configmaps',
    why: 'asked once at the start, unless --api-server-url says it',
    shown: 'test/manager-scaleway.test.ts',
  },
  {
    right: 'manager patch /pods/status',
    why: 'Pods of a Node that is gone for good lose our finalizer',
    shown: 'src/world/host-pods.test.ts',
  },
  {
    right: 'manager list coordination.k8s.io/leases',
    why: 'a lease of another namespace stops the start',
    shown: 'src/world/manager-rival.test.ts',
  },
  ...['get rbac.authorization.k8s.io/clusterrolebindings', 'delete rbac.authorization.k8s.io/clusterrolebindings'].map(
    (right) => ({
      right: `takeover ${right}`,
      why: 'what the Go original made is removed',
      shown: 'src/provider/fleet/retire-originals.test.ts',
    }),
  ),
  ...['list /serviceaccounts', 'delete /serviceaccounts', 'get /secrets', 'delete /secrets'].map((right) => ({
    right: `takeoverSecrets ${right}`,
    why: 'what the Go original made is removed',
    shown: 'src/provider/fleet/retire-originals.test.ts',
  })),
  ...['get apps/deployments', 'patch apps/deployments'].map((right) => ({
    right: `fleetSpread ${right}`,
    why: 'only where a Deployment is to be spread',
    shown: 'src/provider/fleet/spread-controller.test.ts',
  })),
  {
    right: 'dispatchTokens request-serviceaccounts-token-audience /tuist-runners-dispatch',
    why: 'asked by the API server of a Node that wants a token for a runner',
    shown: 'src/kubelet/pods/pod-facts.test.ts',
  },
  { right: 'githubApps get /secrets', why: 'only builders have one', shown: 'src/world/host-builder.test.ts' },
  {
    right: 'kubeconfigs patch /secrets',
    why: 'a token is renewed before it ends, or what somebody spoiled is mended',
    shown: 'src/provider/cluster/plan-kubeconfig.test.ts',
  },
  {
    right: 'manager patch /events',
    why: 'what happens again is counted, not told again',
    shown: 'test/cluster/kube-events.test.ts',
  },
  ...[
    ...['get /nodes', 'get /pods', 'create /pods/eviction', 'list /namespaces', 'watch /namespaces'],
    ...['list /persistentvolumes', 'get apps/daemonsets', 'list storage.k8s.io/volumeattachments', 'get /'],
  ].map((right) => ({
    right: `clusterApiRemote ${right}`,
    why: 'Cluster API core asks for it when it drains and probes; the embedded one does less',
    shown: 'test/cluster/cluster-api-drain.test.ts',
  })),
];

const NAMESPACE = 'fleet';
const NAMESPACES: Readonly<Partial<Record<RoleName, string>>> = {
  leaderElection: 'kube-system',
  joinTokens: 'kube-system',
  kubeconfigs: NAMESPACE,
  githubApps: 'builders',
  fleetKeys: 'default',
  takeoverSecrets: 'tuist',
};

const tellStories = async (): Promise<readonly string[]> => {
  const rights = createRights();
  const world = createFleetWorld({
    ...{ seed: 40, macs: 3, pace: FOLDED_PACE, namespace: NAMESPACE, observer: { onRequest: rights.hear } },
    adjust: (ports) => {
      const keys = createFleetKeys({ ...ports, namespace: 'default', register: async () => 'key-1' });
      return {
        ...ports,
        fleetKeys: {
          ...ports.fleetKeys,
          privateKeyOf: async (fleet, signal) => {
            await keys.privateKeyOf(fleet, signal);
            return ports.fleetKeys.privateKeyOf(fleet, signal);
          },
        },
      };
    },
  });
  startFleet(world, 2);
  await runUntil(world, () => joined(world) === 2);
  // One Mac is deleted at Scaleway: its record goes, and its Machine is replaced.
  world.cloud.deleteServer(world.operator.list(MACHINES)[0]?.status?.serverID ?? '');
  await runUntil(world, () => world.operator.list(MAC_HOSTS).length === 2);
  await runUntil(world, () => joined(world) === 2);
  world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: 0 } });
  await runUntil(world, () => world.operator.list(MAC_HOSTS).every(({ status }) => status?.state === 'free'));
  assert.deepEqual(refusedOf(world.forbidden), []);
  return rights.used();
};

const joined = ({ operator }: FleetWorld): number =>
  operator.list(MAC_HOSTS).filter(({ status }) => status?.state === 'joined').length;

const runUntil = async ({ kernel }: FleetWorld, isReached: () => boolean): Promise<void> => {
  let events = 0;
  const until = (): boolean => {
    events += 1;
    return events % 10 === 0 && isReached();
  };
  const { outcome } = await kernel.run({ maxEvents: 60_000, maxVirtualMs: 4 * 3_600_000, until });
  assert.equal(outcome, 'until');
};

describe('S40: rights', () => {
  it('are all used, or it is declared what else needs them; and none that is used is declared', async () => {
    const used = await tellStories();
    const unused = Object.keys(PROVIDER_ROLES)
      .filter((role): role is RoleName => role in PROVIDER_ROLES)
      .flatMap((role) => unusedOf(role, used, NAMESPACES[role]).map((right) => `${role} ${right}`));
    assert.deepEqual(unused.toSorted(), DECLARED.map(({ right }) => right).toSorted());
  });

  it('that are declared are shown somewhere', () => {
    const root = join(import.meta.dirname, '../../..');
    assert.deepEqual(
      DECLARED.filter(({ shown }) => !existsSync(join(root, shown))),
      [],
    );
  });

  it('that are lacking are told, ours alone', () => {
    const attempt = { on: 'path', verb: 'get', path: '/secret' } as const;
    const ours = { name: 'system:serviceaccount:macfleet-system:macfleet-manager', groups: [] };
    const forbidden = [ours, { name: 'somebody', groups: [] }].map((user) => ({
      ...{ attempt: { ...attempt, user }, actingAs: undefined, code: 403 },
    }));
    assert.deepEqual(refusedOf(forbidden), ['get /secret']);
  });
});
