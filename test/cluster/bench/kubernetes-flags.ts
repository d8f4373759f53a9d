/** The command lines of etcd and Kubernetes. Pure: paths, ports and options in, arguments out. */
import { join } from 'node:path';
import type { ClusterOptions } from './cluster.ts';
import type { ClusterPki } from './pki.ts';

const SECONDS_UNTIL_NODE_IS_DEAD = 6;

const gates = ({ featureGates = [] }: ClusterOptions): readonly string[] =>
  featureGates.length === 0 ? [] : [`--feature-gates=${featureGates.join(',')}`];

/** Its data is thrown away with the cluster, so nothing is worth a wait for the disk, unless the wait is measured. */
export const etcdFlags = (dir: string, url: string, { disk }: ClusterOptions): readonly string[] => [
  `--data-dir=${join(dir, 'etcd')}`,
  `--listen-client-urls=${url}`,
  `--advertise-client-urls=${url}`,
  '--listen-peer-urls=http://127.0.0.1:0',
  ...(disk === 'synced' ? [] : ['--unsafe-no-fsync']),
  '--log-level=warn',
];

export interface ApiServerPlace {
  readonly pki: ClusterPki;
  readonly etcdUrl: string;
  readonly port: number;
}

export const apiServerFlags = ({ pki, etcdUrl, port }: ApiServerPlace, options: ClusterOptions): readonly string[] => [
  `--etcd-servers=${etcdUrl}`,
  // Only who asks for it may meet a compacted revision. The server itself must do it: it answers old versions from
  // memory, and forgets them by its own compactions alone.
  `--etcd-compaction-interval=${options.compactEverySeconds ?? 0}s`,
  '--bind-address=127.0.0.1',
  '--advertise-address=127.0.0.1',
  `--secure-port=${port}`,
  '--endpoint-reconciler-type=none',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--allow-privileged=true',
  `--tls-cert-file=${pki.path('apiserver.crt')}`,
  `--tls-private-key-file=${pki.path('apiserver.key')}`,
  ...identityFlags(pki),
  ...kubeletFlags(pki),
  ...(options.nodeMonitoring === 'fast' ? fastEviction : []),
  ...gates(options),
];

const identityFlags = (pki: ClusterPki): readonly string[] => [
  '--authorization-mode=Node,RBAC',
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth=true',
  `--client-ca-file=${pki.path('ca.crt')}`,
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${pki.path('service-account.pub')}`,
  `--service-account-signing-key-file=${pki.path('service-account.key')}`,
  `--requestheader-client-ca-file=${pki.path('front-proxy-ca.crt')}`,
  '--requestheader-allowed-names=front-proxy-client',
  '--requestheader-username-headers=X-Remote-User',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  `--proxy-client-cert-file=${pki.path('front-proxy-client.crt')}`,
  `--proxy-client-key-file=${pki.path('front-proxy-client.key')}`,
];

const kubeletFlags = (pki: ClusterPki): readonly string[] => [
  `--kubelet-client-certificate=${pki.path('kubelet-client.crt')}`,
  `--kubelet-client-key=${pki.path('kubelet-client.key')}`,
  `--kubelet-certificate-authority=${pki.path('ca.crt')}`,
  '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
];

const fastEviction = [
  `--default-not-ready-toleration-seconds=${SECONDS_UNTIL_NODE_IS_DEAD}`,
  `--default-unreachable-toleration-seconds=${SECONDS_UNTIL_NODE_IS_DEAD}`,
];

const fastMonitoring = [
  '--node-monitor-period=1s',
  `--node-monitor-grace-period=${SECONDS_UNTIL_NODE_IS_DEAD}s`,
  '--node-startup-grace-period=15s',
];

/** No limit is a limit of many more requests than a machine can send. */
export const liftedLimits = ({ clientLimits }: ClusterOptions): readonly string[] =>
  clientLimits === 'lifted' ? ['--kube-api-qps=5000', '--kube-api-burst=5000'] : [];

/** Serves no port: that it works is seen by what it does. */
export const controllerManagerFlags = (
  pki: ClusterPki,
  kubeconfig: string,
  options: ClusterOptions,
): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--secure-port=0',
  '--leader-elect=false',
  '--use-service-account-credentials=true',
  '--controllers=*,bootstrap-signer-controller,token-cleaner-controller',
  `--root-ca-file=${pki.path('ca.crt')}`,
  `--service-account-private-key-file=${pki.path('service-account.key')}`,
  `--cluster-signing-cert-file=${pki.path('ca.crt')}`,
  `--cluster-signing-key-file=${pki.path('ca.key')}`,
  ...(options.signingSeconds === undefined ? [] : [`--cluster-signing-duration=${options.signingSeconds}s`]),
  ...(options.nodeMonitoring === 'fast' ? fastMonitoring : []),
  ...liftedLimits(options),
  ...gates(options),
];

export const schedulerFlags = (kubeconfig: string, options: ClusterOptions): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--secure-port=0',
  '--leader-elect=false',
  ...liftedLimits(options),
  ...gates(options),
];
