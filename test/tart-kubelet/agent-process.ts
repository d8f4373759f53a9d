/** tart-kubelet as a process, from its bundle, on a simulated Tart, and what a cluster needs for it to join. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { nodeUserOf } from '../../src/kube/node/node-certificate.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../src/kube/types/certificates.ts';
import { SECRETS } from '../../src/kube/types/core.ts';
import { CLUSTER_ROLE_BINDINGS } from '../../src/kube/types/rbac.ts';
import { type InstalledTart, installSimTart } from '../../src/sim/tart/program/install.ts';
import { DEFAULT_SETTINGS } from '../../src/sim/tart/tart-settings.ts';
import { AGENT } from './agent-under-test.ts';

export interface Agent {
  readonly child: ChildProcess;
  readonly said: () => string;
}

export interface AgentHome {
  /** Everything of the Mac is in it. */
  readonly folder: string;
  readonly nodeName: string;
  readonly kubeconfig: string;
  /** `key=value` */
  readonly labels: string;
  /** The command and its first words; Node with the bundle unless given. */
  readonly command?: readonly [string, ...string[]];
  /** The first three parts of the addresses where its guests are really reached; Macs side by side have one each. */
  readonly loopback?: string;
}

export interface Agents {
  readonly tart: InstalledTart;
  start(...more: readonly string[]): Agent;
  /** Ends all that run; VMs stay. */
  stop(): Promise<void>;
}

export const createAgents = (home: AgentHome): Agents => {
  const { folder, nodeName, kubeconfig, labels, loopback = DEFAULT_SETTINGS.loopback } = home;
  const [command, ...words] = home.command ?? [process.execPath, AGENT];
  const tart = installSimTart(folder, process.execPath);
  if (home.loopback !== undefined) tart.configure({ loopback });
  const children: ChildProcess[] = [];
  const flags = [
    ...[`--node-name=${nodeName}`, `--kubeconfig=${kubeconfig}`, `--tart-binary=${tart.binary}`, '--node-ip=127.0.0.1'],
    ...[`--root-directory=${folder}`, '--kubelet-port=0', '--metrics-bind-address=0', '--health-probe-bind-address=0'],
    // Of a Mac, not of the machine that this runs on.
    ...['--host-cpu=8', '--host-memory-mb=16384'],
    ...[`--provider-id=scw-applesilicon://fr-par-1/${nodeName}`, `--node-labels=${labels}`],
  ];
  const env = {
    ...process.env,
    // Each Mac has a limit of VMs of its own, and sees those of no other.
    PATH: `${tart.binFolder}:${process.env['PATH']}`,
    TART_HOME: tart.home,
    TART_KUBELET_VM_NETWORK: `${DEFAULT_SETTINGS.subnet}=${loopback}`,
  };
  return {
    tart,
    start: (...more) => {
      const child = spawn(command, [...words, ...flags, ...more], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      children.push(child);
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          said += String(chunk);
        });
      return { child, said: () => said };
    },
    stop: async () => {
      await Promise.all(children.map(end));
    },
  };
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const DEADLINE_MS = 90_000;

/** Waits for what can be seen; tells what the agent said when it never comes. */
export const createLook =
  ({ said }: Agent) =>
  async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
    const clock = createSystemClock();
    for (const untilMs = clock.elapsed() + DEADLINE_MS; clock.elapsed() < untilMs; ) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(clock, 50, neverAborted());
    }
    throw new Error(`never: ${what}\n${said().slice(-4_000)}`);
  };

export interface JoinRight {
  /** `<id>.<secret>` */
  readonly token: string;
  readonly group: string;
}

/** Whoever has the token may ask for a Node's client certificate, and whoever is a Node for the next. Returns how to take it back. */
export const letJoin = async (
  client: KubeClient,
  { token, group }: JoinRight,
  signal: AbortSignal,
): Promise<() => Promise<void>> => {
  const [id = '', secret = ''] = token.split('.');
  const data = {
    ...{ 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
    'auth-extra-groups': group,
  };
  const secretKey = { namespace: 'kube-system', name: `bootstrap-token-${id}` };
  await client.create(
    SECRETS,
    {
      metadata: secretKey,
      type: 'bootstrap.kubernetes.io/token',
      data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
    },
    { signal },
  );
  const certificates = 'system:certificates.k8s.io:certificatesigningrequests';
  const bindings = [
    { name: `join-${id}`, role: 'system:node-bootstrapper', to: group },
    { name: `first-${id}`, role: `${certificates}:nodeclient`, to: group },
    { name: `next-${id}`, role: `${certificates}:selfnodeclient`, to: 'system:nodes' },
  ];
  for (const { name, role, to } of bindings) {
    await client.create(
      CLUSTER_ROLE_BINDINGS,
      {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: to }],
      },
      { signal },
    );
  }
  return async () => {
    for (const { name } of bindings) await client.delete(CLUSTER_ROLE_BINDINGS, { name }, { signal: neverAborted() });
    await client.delete(SECRETS, secretKey, { signal: neverAborted() });
  };
};

/**
 * Approves what Nodes want to serve with, until the signal is aborted: all, or only these on a cluster that others use too. Nobody does that
 * by itself; the manager does it in a fleet.
 */
export const approveServing = async (
  client: KubeClient,
  signal: AbortSignal,
  nodeNames?: readonly string[],
): Promise<void> => {
  const users = nodeNames?.map(nodeUserOf);
  const isWaiting = ({ spec, status }: CertificateSigningRequest): boolean =>
    spec.signerName === 'kubernetes.io/kubelet-serving' &&
    status?.conditions === undefined &&
    users?.includes(spec.username ?? '') !== false;
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }] as const;
  const { resourceVersion } = (await client.list(CERTIFICATE_SIGNING_REQUESTS, { signal })).metadata;
  const options = { resourceVersion, timeoutSeconds: 300, signal };
  try {
    for await (const event of client.watch(CERTIFICATE_SIGNING_REQUESTS, options)) {
      if (event.type !== 'ADDED' || !isWaiting(event.object)) continue;
      const approved = { ...event.object, status: { conditions } };
      await client.update(CERTIFICATE_SIGNING_REQUESTS, approved, { subresource: 'approval', signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};
