/**
 * The flags of tart-kubelet as data: names, defaults and variables of the Go original's are kept, so that its launchd job starts
 * this agent. A flag of a feature that is not here says so when it is set; none is ignored in silence.
 */
import { parseCidr } from '../base/cidr.ts';
import type { Flag, FlagGroup } from '../base/flags/flag.ts';
import { parseBindAddress, parseBoolean } from '../base/flags/flag-values.ts';
import { parsePort, parseWhole } from '../base/flags/parse-number.ts';
import { parseAddressSource, parseLabels, parseLogLevel, parseNodeName, parsePath } from './flags-values.ts';

const COUNT_MAX = 1_000_000;
const count =
  (what: string, least = 1) =>
  (text: string): number =>
    parseWhole(text, { least, most: COUNT_MAX, what });

const note = (why: string): Pick<Flag, 'otherwise'> => ({ otherwise: { do: 'note', why } });
const NO_CACHE_VOLUMES = 'there are no cache volumes here; every VM starts cold';
const ONE_FORMAT = 'the log is JSON lines, always';

const NODE: readonly Flag[] = [
  {
    flag: '--node-name <name>',
    is: 'the Node to be; without it the name of this host',
    env: 'TART_KUBELET_NODE_NAME',
    parse: parseNodeName,
  },
  {
    flag: '--provider-id <id>',
    is: 'spec.providerID of the Node, where it has none: scw-applesilicon://<zone>/<id>',
    standard: '',
    env: 'TART_KUBELET_PROVIDER_ID',
  },
  {
    flag: '--node-ip <address>',
    is: 'where this Mac is reached; wins over any source',
    standard: '',
    env: 'TART_KUBELET_NODE_IP',
  },
  {
    flag: '--node-ip-source <source>',
    is: 'auto: the first address of an interface; tailscale: that of the tailnet',
    standard: 'auto',
    env: 'TART_KUBELET_NODE_IP_SOURCE',
    parse: parseAddressSource,
  },
  {
    flag: '--node-labels <labels>',
    is: 'labels of the Node, as key=value,…',
    standard: '',
    env: 'TART_KUBELET_NODE_LABELS',
    parse: parseLabels,
  },
  {
    flag: '--host-cpu <count>',
    is: 'processors that the Node offers; without it, or with 0, those of this Mac',
    parse: count('count of CPUs', 0),
  },
  {
    flag: '--host-memory-mb <count>',
    is: 'memory that it offers, in MiB; without it, or with 0, that of this Mac',
    parse: count('count of MiB', 0),
  },
  { flag: '--max-pods <count>', is: 'Pods that it takes', standard: '2', parse: count('count of Pods', 0) },
];

const CLUSTER: readonly Flag[] = [
  { flag: '--kubeconfig <file>', is: 'how to reach the cluster', env: 'KUBECONFIG' },
  {
    flag: '--kubelet-port <port>',
    is: 'where the API server finds logs and figures; 0: a free port',
    standard: '10250',
    parse: parsePort,
  },
];

const MACHINES: readonly Flag[] = [
  { flag: '--tart-binary <file>', is: 'the tart command', standard: '/usr/local/bin/tart', parse: parsePath },
  {
    flag: '--disable-vm-gc [boolean]',
    is: 'delete no VM and no image that nobody needs: for hosts that build images',
    standard: 'false',
    parse: parseBoolean,
  },
  {
    flag: '--root-directory <folder>',
    is: 'put before every path of the agent, to try it beside another one',
    standard: '',
  },
];

const FORWARDERS: readonly Flag[] = [
  {
    flag: '--scrape-allowed-cidr <range>',
    is: 'who may reach forwarders, once per range; without any the private and local ones',
    parse: parseCidr,
    repeats: 'yes',
  },
  {
    flag: '--vnc-control-dir <folder>',
    is: 'where VNC relays are asked for and told of; empty: there are none',
    standard: '/var/lib/tart-vnc-control',
    env: 'TART_KUBELET_VNC_CONTROL_DIR',
  },
  {
    flag: '--vnc-relay-host <host>',
    is: 'the name under which relays are told; empty: the address of the Node',
    standard: '',
    env: 'TART_KUBELET_VNC_RELAY_HOST',
  },
  {
    flag: '--vnc-relay-port <port>',
    is: 'where a relay listens; 0: a free port',
    standard: '0',
    env: 'TART_KUBELET_VNC_RELAY_PORT',
    parse: parsePort,
  },
];

const HEALTH: readonly Flag[] = [
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
  {
    flag: '--zap-log-level <level>',
    is: 'debug, info, warn or error',
    standard: 'info',
    parse: parseLogLevel,
  },
];

const RUN: readonly Flag[] = [
  { flag: '--check', is: 'say whether this Mac could be a Node, and end' },
  { flag: '--version', is: 'print the version, and end' },
];

const NOT_HERE: readonly Flag[] = [
  {
    flag: '--runner-cache-root <folder>',
    is: 'where cache volumes are',
    standard: '',
    env: 'TART_KUBELET_RUNNER_CACHE_ROOT',
    ...note(NO_CACHE_VOLUMES),
  },
  {
    flag: '--cache-volume-cap-gib <count>',
    is: 'the size of one',
    standard: '20',
    env: 'TART_KUBELET_CACHE_VOLUME_CAP_GIB',
    parse: count('count of GiB', 0),
    ...note(NO_CACHE_VOLUMES),
  },
  {
    flag: '--cache-volume-cas-gib <count>',
    is: 'its share for compilation',
    standard: '0',
    env: 'TART_KUBELET_CACHE_VOLUME_CAS_GIB',
    parse: count('count of GiB', 0),
    ...note(NO_CACHE_VOLUMES),
  },
  {
    flag: '--zap-devel [boolean]',
    is: 'a log for people',
    standard: 'false',
    parse: parseBoolean,
    ...note(ONE_FORMAT),
  },
  { flag: '--zap-encoder <format>', is: 'the form of the log', standard: 'json', ...note(ONE_FORMAT) },
  { flag: '--zap-stacktrace-level <level>', is: 'from where on stacks are shown', standard: '', ...note(ONE_FORMAT) },
  { flag: '--zap-time-encoding <format>', is: 'the form of times', standard: '', ...note(ONE_FORMAT) },
];

/** In the order of the help. */
export const FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Node:', flags: NODE },
  { title: 'Cluster:', flags: CLUSTER },
  { title: 'Virtual machines:', flags: MACHINES },
  { title: 'Ways into virtual machines:', flags: FORWARDERS },
  { title: 'Health and metrics:', flags: HEALTH },
  { title: 'Instead of running:', flags: RUN },
  { title: 'Of the Go original, without effect:', flags: NOT_HERE },
];
