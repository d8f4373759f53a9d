/** The flags of bin/runners.ts as data: names, defaults and variables of the Go original's are kept (§3.2). */
import { FleetError } from '../base/errors.ts';
import type { Flag, FlagGroup } from '../base/flags/flag.ts';
import { parseBoolean } from '../base/flags/flag-values.ts';
import { HEALTH_FLAGS } from './manager-flags-table.ts';
import { parseLeaseProfile, parseNamespace } from './manager-flags-values.ts';

/** Undefined for an empty text: not said. */
const parseHttpUrl = (text: string): string | undefined => {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.hash === '';
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return text;
  throw new FleetError('invalid', {
    code: 'BadUrl',
    message: `"${text}" is no URL of a dispatcher`,
    hint: 'Write https://, a host and a path, without user and fragment.',
  });
};

const CLUSTER: readonly Flag[] = [
  { flag: '--kubeconfig <file>', is: 'the cluster to work on; without it the one this process runs in' },
  {
    flag: '--namespace <namespace>',
    is: 'where pools and their runners are; no other is looked at',
    standard: 'tuist-runners',
    env: 'TUIST_RUNNERS_NAMESPACE',
    parse: parseNamespace,
  },
  {
    flag: '--leader-elect [boolean]',
    is: 'act only while holding the leader lease',
    standard: 'true',
    parse: parseBoolean,
  },
  {
    flag: '--lease-namespace <namespace>',
    is: "where the leader lease is; without it this Pod's own namespace, outside of a cluster --namespace",
    parse: parseNamespace,
  },
  {
    flag: '--lease-profile <profile>',
    is: 'fast takes over after 2 s instead of 15 s, and renews as often',
    standard: 'normal',
    parse: parseLeaseProfile,
  },
];

const DISPATCHER: readonly Flag[] = [
  {
    flag: '--dispatch-url <url>',
    is: 'where guests ask for jobs; needed',
    standard: '',
    env: 'TUIST_RUNNER_DISPATCH_URL',
    parse: parseHttpUrl,
  },
  {
    flag: '--sessions-url <url>',
    is: 'where ends of runners are reported and runners are drained; empty: neither',
    standard: '',
    env: 'TUIST_RUNNER_SESSIONS_URL',
    parse: parseHttpUrl,
  },
  {
    flag: '--scaling-signals-url <url>',
    is: 'where the load of a pool is asked for; empty: replicas stay as they are',
    standard: '',
    env: 'TUIST_SCALING_SIGNALS_URL',
    parse: parseHttpUrl,
  },
  {
    flag: '--dispatch-token-file <file>',
    is: 'the token that this controller shows the dispatcher; read for each call',
    standard: '/var/run/secrets/kubernetes.io/serviceaccount/token',
  },
];

const GUESTS: readonly Flag[] = [
  {
    flag: '--cluster-dns-ip <address>',
    is: 'the DNS server of the cluster as guests reach it; empty: they are not told',
    standard: '',
    env: 'TUIST_RUNNER_CLUSTER_DNS_IP',
  },
  {
    flag: '--cluster-domain <domain>',
    is: 'the domain that it answers for',
    standard: 'cluster.local',
    env: 'TUIST_RUNNER_CLUSTER_DOMAIN',
  },
];

const LINUX = 'linux runners only, which this controller does not have';
const linux = (name: string, env: string): Flag => ({
  ...{ flag: `${name} <text>`, is: LINUX, standard: '', env },
  otherwise: { do: 'note', why: LINUX },
});

export const RUNNERS_FLAG_GROUPS: readonly FlagGroup[] = [
  { title: 'Cluster:', flags: CLUSTER },
  { title: 'Dispatcher:', flags: DISPATCHER },
  { title: 'Guests:', flags: GUESTS },
  { title: 'Health and metrics:', flags: HEALTH_FLAGS },
  {
    title: 'Of the Go original, without effect:',
    flags: [
      linux('--dispatch-internal-url', 'TUIST_RUNNER_DISPATCH_INTERNAL_URL'),
      linux('--dind-image', 'TUIST_RUNNER_DIND_IMAGE'),
      linux('--registry-mirror-url', 'TUIST_RUNNER_REGISTRY_MIRROR_URL'),
    ],
  },
];
