/** Defects around whose a Mac is: pauses, owners that vanish, moves, namespaces that go. */
import type { Mutant } from './mutant.ts';

const OWNER = 'src/provider/host/plan-owner.ts';
const CACHES = 'src/provider/host/host-caches.ts';
const RELEASE_HOST = 'src/provider/machine/release-host.ts';

export const IN_OWNERSHIP: readonly Mutant[] = [
  {
    id: 'M10',
    story: 'the annotation that pauses one machine is ignored',
    killedBy: ['S5'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/cluster/pause.ts',
        from: 'object.metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined || cluster',
        to: 'cluster',
      },
    ],
  },
  {
    id: 'M11',
    story: 'a paused machine cannot be deleted',
    killedBy: ['L2'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/machine/machine-controller.ts',
        from: 'if (metadata.deletionTimestamp !== undefined) return undefined;\n  const cluster = clusterOf',
        to: 'if (metadata.deletionTimestamp !== undefined && !isPaused(caches.clusters, machine)) return undefined;\n  const cluster = clusterOf',
      },
    ],
  },
  {
    id: 'N4',
    story: 'a pause is looked at once, and what was under way goes on',
    killedBy: ['S5'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/host/owner-pause.ts',
        from: 'owner !== undefined && owner.metadata.deletionTimestamp === undefined;',
        to: 'owner !== undefined && owner.metadata.deletionTimestamp === "never";',
      },
    ],
  },
  {
    id: 'R15',
    story: 'a Mac whose machine vanished is wiped',
    killedBy: ['S41', 'S15', 'S4', 'S2', 'L3'],
    budget: 5,
    edits: [
      {
        file: OWNER,
        from: 'const hold = HOLDS[owner];',
        to: `if (owner === 'gone')
    return {
      do: 'store',
      spec: { release: { intentID: view.uuid(), policy: 'pool', reason: 'OwnerVanished', requestedAt: toTimestamp(nowMs) } },
    };
  const hold = HOLDS[owner];`,
      },
    ],
  },
  {
    id: 'R16',
    story: 'a Mac that was taken off its paused machine is given back',
    killedBy: ['S41', 'S5', 'S15', 'S2', 'S4', 'L3'],
    budget: 5,
    edits: [
      {
        file: OWNER,
        from: 'const hold = HOLDS[owner];',
        to: `if (owner === 'detached')
    return {
      do: 'store',
      spec: { release: { intentID: view.uuid(), policy: 'pool', reason: 'Detached', requestedAt: toTimestamp(nowMs) } },
    };
  const hold = HOLDS[owner];`,
      },
    ],
  },
  {
    id: 'R17',
    story: 'a machine that clusterctl moved away has its Mac wiped here',
    killedBy: ['S41', 'S15', 'S2', 'S4', 'L3', 'S11'],
    budget: 5,
    edits: [
      { file: RELEASE_HOST, from: 'if (isMoving(machine)) return moved;', to: '' },
      {
        file: CACHES,
        from: "if (metadata.deletionTimestamp !== undefined && isMoving(machine)) return 'moved';",
        to: '',
      },
    ],
  },
  {
    id: 'R18',
    story: 'Macs are wiped when the namespace of their machines is deleted',
    killedBy: ['S41'],
    budget: 5,
    edits: [
      {
        file: RELEASE_HOST,
        from: 'if (namespace.metadata.deletionTimestamp !== undefined) return namespaceTerminating;',
        to: '',
      },
    ],
  },
  {
    id: 'R19',
    story: 'one answer of 404 is enough to forget a Mac',
    killedBy: ['S19', 'S1', 'S13', 'S2', 'L3', 'S14'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/host/observe-host.ts',
        from: 'if (unseenSince === undefined) return { isGone: false, server: { ...known, unseenSince: toTimestamp(nowMs) } };',
        to: 'if (unseenSince === undefined) return { isGone: true, server: { ...known, unseenSince: toTimestamp(nowMs), goneAt: toTimestamp(nowMs) } };',
      },
    ],
  },
  {
    id: 'M25',
    story: 'nobody writes the kubeconfig by which Cluster API reaches the Nodes',
    killedBy: ['L1', 'L13'],
    budget: 5,
    edits: [
      {
        file: 'src/provider/cluster/kubeconfig-controller.ts',
        from: 'await kube.create(SECRETS, made, { signal });',
        to: 'if (made === undefined) await kube.create(SECRETS, made, { signal });',
      },
    ],
  },
];
