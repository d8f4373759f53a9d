/** Rights of the chart that a quiet life does not need: what each is for, and the test that shows it. */

interface OtherDay {
  readonly rights: readonly string[];
  readonly why: string;
  /** A file of the project. */
  readonly shown: string;
}

const MANAGER = 'macfleet-manager';
const RUNNERS = 'macfleet-runners-controller';
const INFRASTRUCTURE = 'infrastructure.cluster.x-k8s.io';

export const OTHER_DAYS: readonly OtherDay[] = [
  {
    rights: [
      ...['create /pods/eviction', 'get /nodes', 'list /nodes', 'get apps/daemonsets', 'list /persistentvolumes'],
      ...['list storage.k8s.io/volumeattachments', 'list /namespaces', 'watch /namespaces', 'list /pods'],
    ].map((right) => `capi-remote ${right}`),
    why: 'core drains Pods of Deployments and DaemonSets; its own lists are streamed by a watch where the server can',
    shown: 'test/cluster/cluster-api-drain.test.ts',
  },
  {
    rights: [`${MANAGER} approve certificates.k8s.io/signers`, `${MANAGER} manage ${INFRASTRUCTURE}/machosts`],
    why: 'asked by the API server and by a policy about whoever writes, not by a request',
    shown: 'test/cluster/kinds-policies.test.ts',
  },
  {
    rights: [`${MANAGER} delete /secrets in kube-system`],
    why: 'a join token that nobody used is removed when the next one is made, or the Mac is given back',
    shown: 'src/provider/identity/join-credentials.test.ts',
  },
  {
    rights: [`${MANAGER} get /configmaps in kube-public`],
    why: 'asked at the start where nobody says macosFleet.apiServerURL',
    shown: 'test/manager-scaleway.test.ts',
  },
  {
    rights: [`${MANAGER} delete ${INFRASTRUCTURE}/machosts`],
    why: 'a Mac was deleted at Scaleway',
    shown: 'src/world/simulate/rights.test.ts',
  },
  {
    rights: [MANAGER, RUNNERS].flatMap((name) => {
      const where = name === RUNNERS ? ' in tuist-runners' : '';
      return [`${name} create /events${where}`, `${name} patch /events${where}`];
    }),
    why: 'trouble is told, and what happens again is counted',
    shown: 'test/cluster/kube-events.test.ts',
  },
  {
    rights: [`${MANAGER} delete /nodes`],
    why: 'the Node of a Mac that is wiped goes, if core has not been faster',
    shown: 'src/provider/host/plan-host-release.test.ts',
  },
  {
    rights: [`${MANAGER} patch /pods/status`],
    why: 'Pods of a Node that is gone for good lose our finalizer',
    shown: 'src/world/host-pods.test.ts',
  },
  {
    rights: [`${MANAGER} patch /secrets in macfleet-system`],
    why: 'the kubeconfig of core is renewed before its token ends',
    shown: 'src/provider/cluster/plan-kubeconfig.test.ts',
  },
  {
    rights: [`${MANAGER} patch cluster.x-k8s.io/machines/status`],
    why: 'a Machine whose Mac is gone is marked, so that core replaces it',
    shown: 'test/cluster/cluster-api-replace.test.ts',
  },
  {
    rights: ['clusters', 'controlplanes'].map(
      (kind) => `${MANAGER} patch ${INFRASTRUCTURE}/scalewayapplesilicon${kind}`,
    ),
    why: 'objects of the Go original are brought into form',
    shown: 'src/kube/controller/save.ts',
  },
  {
    rights: [
      `${RUNNERS} get /nodes`,
      ...['get /pods/log', 'patch /pods', 'get /pods', 'delete /pods'].map(
        (right) => `${RUNNERS} ${right} in tuist-runners`,
      ),
    ],
    why: 'a runner dies, is retired, or its Mac is drained',
    shown: 'test/cluster/runners.test.ts',
  },
];
