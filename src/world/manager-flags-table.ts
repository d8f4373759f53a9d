/**
 * The flags of bin/manager.ts as data: names, defaults and variables of the Go original's are kept, so that its chart starts
 * this manager. A flag of a feature that is not here says so when it is set; none is ignored in silence.
 */
import { parseDuration } from '../base/duration.ts';
import type { Flag, FlagGroup } from '../base/flags/flag.ts';
import { parseBindAddress, parseBoolean, parseList } from '../base/flags/flag-values.ts';
import { parseWhole } from '../base/flags/parse-number.ts';
import { DEFAULT_LIMITS } from '../provider/host/ports.ts';
import { NOT_HERE } from './manager-flags-deferred.ts';
import {
  parseGitHubUrl,
  parseHostTimes,
  parseLeaseProfile,
  parseNamespace,
  parseObjectName,
  parseOptionalNamespace,
  parseOrderRule,
  parsePoolPrefix,
  parsePoolRule,
  parseServerUrl,
} from './manager-flags-values.ts';

const COUNT_MAX = 1_000_000;
const count =
  (what: string, least = 0) =>
  (text: string): number =>
    parseWhole(text, { least, most: COUNT_MAX, what });

const note = (why: string): Pick<Flag, 'otherwise'> => ({ otherwise: { do: 'note', why } });
const NO_BINARY = 'the agent is a runtime and a bundle here: --tartkubelet-runtime-path, --tartkubelet-bundle-path';

const CLUSTER: readonly Flag[] = [
  { flag: '--kubeconfig <file>', is: 'the cluster to work on; without it the one this process runs in' },
  {
    flag: '--namespace <namespace>',
    is: 'work for the Clusters and Machines of this namespace only',
    parse: parseNamespace,
  },
  {
    flag: '--secrets-namespace <namespace>',
    is: "where the fleets' SSH keys and the account of Cluster API core are",
    standard: 'default',
    parse: parseNamespace,
  },
  {
    flag: '--api-server-url <url>',
    is: 'the API server as Macs reach it; without it that of kube-public/cluster-info',
    standard: '',
    env: 'CAPI_TARTKUBELET_API_SERVER_URL',
    parse: parseServerUrl,
  },
  {
    flag: '--capi-remote-account <name>',
    is: 'ServiceAccount behind <cluster>-kubeconfig, by default capi-remote with --scaleway; empty: others keep that Secret',
    parse: parseObjectName,
  },
  {
    flag: '--leader-elect [boolean]',
    is: 'act only while holding the leader lease',
    standard: 'true',
    parse: parseBoolean,
  },
  {
    flag: '--lease-namespace <namespace>',
    is: "where the leader lease is; without it this Pod's own namespace, outside of a cluster kube-system",
    parse: parseNamespace,
  },
  {
    flag: '--lease-profile <profile>',
    is: 'fast takes over after 2 s instead of 15 s, and renews as often',
    standard: 'normal',
    parse: parseLeaseProfile,
  },
  {
    flag: '--node-identity-cluster-role <name>',
    is: "the original's role for Nodes; here a Node has a certificate, and the rights that Kubernetes gives Nodes",
    standard: 'tart-kubelet',
    env: 'CAPI_NODE_IDENTITY_CLUSTER_ROLE',
    parse: parseObjectName,
    ...note('no role is bound to Nodes any more: they have certificates of their own'),
  },
  {
    flag: '--machine-max-concurrent-reconciles <count>',
    is: 'how many machines are worked on at once; work on Macs runs beside and is not counted',
    standard: '4',
    parse: count('count of workers', 1),
  },
];

const SCALEWAY: readonly Flag[] = [
  {
    flag: '--scaleway',
    is: 'work on the Scaleway project that SCW_* or the file of scw names',
    conflicts: ['simulatedMacs', 'simulatedProject', 'joinKubeconfig'],
  },
  { flag: '--scaleway-credentials <folder>', is: 'where a Secret with the API key is mounted; it may rotate' },
  {
    flag: '--zones <zones>',
    is: 'with commas between them; without it --orphan-reclaim-zones if given, else SCW_DEFAULT_ZONE',
    parse: parseList,
  },
  {
    flag: '--ssh-port <port>',
    is: 'where Macs answer SSH',
    standard: '22',
    parse: (text) => parseWhole(text, { least: 1, most: 65_535, what: 'port' }),
  },
  {
    flag: '--github-api-url <url>',
    is: "where builders' registration tokens are asked for",
    standard: 'https://api.github.com',
    parse: parseGitHubUrl,
  },
  {
    flag: '--host-times <profile>',
    is: 'fast waits fractions of the times that are safe with a real Scaleway: for simulated projects, and refused elsewhere',
    standard: 'normal',
    parse: parseHostTimes,
  },
  {
    flag: '--orphan-reclaim-zones <zones>',
    is: "the original's name for --zones",
    standard: 'fr-par-1',
    env: 'CAPI_ORPHAN_RECLAIM_ZONES',
    parse: parseList,
  },
  {
    flag: '--orphan-reclaim-claim-name-prefix <prefix>',
    is: 'Macs whose machine vanished are held; where the name of that machine began with this they are wiped and put back by themselves, one at a time. Empty: never',
    standard: '',
    env: 'CAPI_ORPHAN_RECLAIM_CLAIM_NAME_PREFIX',
  },
  {
    flag: '--orphan-reclaim-interval <duration>',
    is: 'how long such a Mac is held before',
    standard: '15m',
    parse: parseDuration,
  },
];

const FLEET: readonly Flag[] = [
  {
    flag: '--default-adopt-pool-prefix <prefix>',
    is: 'how names of free Macs begin, where a machine does not say',
    standard: '',
    env: 'CAPI_DEFAULT_ADOPT_POOL_PREFIX',
    parse: parsePoolPrefix,
  },
  {
    flag: '--pool-namespaces <prefix=namespaces>',
    is: 'which namespaces may adopt from a pool, or from one whose prefix begins alike: tuist-pool-=ci,tests; once per pool. Without it all may',
    parse: parsePoolRule,
    repeats: 'yes',
  },
  {
    flag: '--max-ordered-hosts <count>',
    is: 'how many Macs may be rented at a time for machines that say acquire: order; 0: none',
    standard: '0',
    parse: count('count of Macs'),
  },
  {
    flag: '--max-orders-per-day <count>',
    is: 'how many Macs may be ordered within 24 hours; 0: none',
    standard: '0',
    parse: count('count of orders'),
  },
  {
    flag: '--order-namespaces <namespace=count>',
    is: 'which namespaces may have Macs rented, and how many: ci=2; once per namespace. Without it all may',
    parse: parseOrderRule,
    repeats: 'yes',
  },
  {
    flag: '--fleet-spread-deployment <name>',
    is: 'Deployment whose Pods are spread anew when the set of ready Macs changed',
    standard: '',
    env: 'CAPI_FLEET_SPREAD_DEPLOYMENT',
    parse: parseObjectName,
  },
  {
    flag: '--fleet-spread-namespace <namespace>',
    is: 'its namespace; without it --secrets-namespace',
    standard: '',
    env: 'CAPI_FLEET_SPREAD_NAMESPACE',
    parse: parseOptionalNamespace,
  },
];

const RECOVERY: readonly Flag[] = [
  {
    flag: '--bootstrap-reboot-after <count>',
    is: 'failed bootstraps in a row before the one reboot; 0: none',
    standard: `${DEFAULT_LIMITS.rebootAfter}`,
    parse: count('count of failures'),
  },
  {
    flag: '--bootstrap-max-attempts <count>',
    is: 'failed bootstraps in a row before the Mac is wiped and another one taken; 0: never',
    standard: `${DEFAULT_LIMITS.releaseAfter}`,
    parse: count('count of failures'),
  },
  {
    flag: '--max-reinstalls-per-hour <count>',
    is: 'how many Macs of one pool are wiped within an hour; more have to wait',
    standard: `${DEFAULT_LIMITS.reinstallsPerHour}`,
    parse: count('count of wipes', 1),
  },
];

const ROLLS: readonly Flag[] = [
  {
    flag: '--tartkubelet-binary-path <file>',
    is: "the original's agent, which is one program; here it has two files",
    standard: '/opt/tart-kubelet/tart-kubelet-darwin-arm64',
    env: 'CAPI_TARTKUBELET_BINARY_PATH',
    ...note(NO_BINARY),
  },
  {
    flag: '--tartkubelet-runtime-path <file>',
    is: 'the Node.js for darwin-arm64, compressed with gzip, that the agent on Macs runs on',
    standard: '/opt/tart-kubelet/node-darwin-arm64.gz',
    env: 'CAPI_TARTKUBELET_RUNTIME_PATH',
  },
  {
    flag: '--tartkubelet-bundle-path <file>',
    is: 'the agent that is put on Macs: one JavaScript file',
    standard: '/opt/tart-kubelet/tart-kubelet.mjs',
    env: 'CAPI_TARTKUBELET_BUNDLE_PATH',
  },
  {
    flag: '--tart-tarball-path <file>',
    is: 'the Tart that is put on Macs',
    standard: '/opt/tart/tart.tar.gz',
    env: 'CAPI_TART_TARBALL_PATH',
  },
  {
    flag: '--tartkubelet-host-cpu <count>',
    is: 'CPUs of a Node, where its machine does not say',
    standard: '8',
    parse: count('count of CPUs', 1),
  },
  {
    flag: '--tartkubelet-host-memory-mb <count>',
    is: 'memory of a Node in MB, where its machine does not say',
    standard: '16384',
    parse: count('count of MB', 1),
  },
  {
    flag: '--tartkubelet-max-pods <count>',
    is: 'Pods of a Node',
    standard: '2',
    parse: count('count of Pods', 1),
  },
  {
    flag: '--tartkubelet-max-update-attempts <count>',
    is: 'failed pushes of a configuration before a Mac is left as it is; 0: never',
    standard: '5',
    parse: count('count of attempts'),
  },
  {
    flag: '--tartkubelet-terminal-retry-after <duration>',
    is: 'after so long it is tried again all the same; 0: never',
    standard: '30m',
    parse: parseDuration,
  },
];

export const HEALTH_FLAGS: readonly Flag[] = [
  {
    flag: '--metrics-bind-address <address>',
    is: 'where /metrics is; 0: nowhere',
    standard: ':8080',
    parse: parseBindAddress,
  },
  {
    flag: '--health-probe-bind-address <address>',
    is: 'where /healthz and /readyz are; 0: nowhere',
    standard: ':8081',
    parse: parseBindAddress,
  },
];

const MACS_MAX = 10_000;
const SPEED_MAX = 100_000;

const SIMULATION: readonly Flag[] = [
  {
    flag: '--simulated-macs <count>',
    is: 'work on so many simulated Macs',
    parse: (text) => parseWhole(text, { least: 0, most: MACS_MAX, what: 'count of Macs' }),
  },
  {
    flag: '--simulated-project <id>',
    is: 'the Scaleway project they are in; managers of one cluster have one each',
  },
  {
    flag: '--join-kubeconfig <file>',
    is: 'what they join with: holds a bootstrap token; without it each gets one of its own',
  },
  {
    flag: '--speed-up <factor>',
    is: 'how much faster than life they are',
    standard: '100',
    parse: (text) => parseWhole(text, { least: 1, most: SPEED_MAX, what: 'factor' }),
  },
];

/** In the order of the help. */
export const FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Cluster:', flags: CLUSTER },
  { title: 'Scaleway:', flags: SCALEWAY },
  { title: 'Fleet:', flags: FLEET },
  { title: 'Recovery of Macs:', flags: RECOVERY },
  { title: 'Rolls of the host configuration:', flags: ROLLS },
  { title: 'Health and metrics:', flags: HEALTH_FLAGS },
  { title: 'Simulated Macs:', flags: SIMULATION },
  { title: 'Of the Go original, refused when set:', flags: NOT_HERE },
];
