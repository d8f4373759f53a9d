/**
 * Nodes for a suite that wants some: scripted agents in this process, each with a certificate of its own that it asks for as
 * a Mac does. To the suite they are Linux Nodes without taints, whose Pods do what their commands say.
 */
import { type Clock, sleep } from '../../../src/base/clock.ts';
import { isKind } from '../../../src/base/errors.ts';
import type { Logger } from '../../../src/base/logger.ts';
import type { Random } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { connectCluster } from '../../../src/kube/client/connect.ts';
import type { HostIo } from '../../../src/kube/client/login/host-io.ts';
import type { ClusterConfig } from '../../../src/kube/client/login/select-context.ts';
import { requestNodeCertificate } from '../../../src/kube/node/node-certificate.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../../src/kube/types/certificates.ts';
import { NODES, type Node } from '../../../src/kube/types/core.ts';
import { parseCsr } from '../../../src/pki/csr.ts';
import { createKeyPair, isSameKey, type KeyPair, renderPrivateKey } from '../../../src/pki/key.ts';
import { createCommandProcesses } from '../../../src/sim/node/command-processes.ts';
import { runNodeAgent } from '../../../src/sim/node/node-agent.ts';
import type { NodeFacts } from '../../../src/sim/node/node-object.ts';

export interface NodesDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly host: HostIo;
}

export interface ScriptedNodes {
  /** Throws what made an agent fail. */
  stop(): Promise<void>;
}

/** The one image that the suite counts on not being there. */
const MISSING_IMAGE = 'webserver:404';

/** As the administrator whose configuration it is; each agent then speaks for itself. Settles when all are ready. */
export const startScriptedNodes = async (
  config: ClusterConfig,
  count: number,
  deps: NodesDeps,
): Promise<ScriptedNodes> => {
  const admin = await connectCluster(config, deps);
  const life = new AbortController();
  const { signal } = life;
  const runs = Array.from({ length: count }, (_, at) => runNode({ config, admin: admin.client, at }, deps, signal));
  const ended = Promise.allSettled(runs);
  const stop = async (): Promise<void> => {
    life.abort();
    const ends = await ended;
    await admin.close();
    for (const end of ends) if (end.status === 'rejected' && !isKind(end.reason, 'cancelled')) throw end.reason;
  };
  try {
    await Promise.race([untilReady(count, { ...deps, admin: admin.client }, signal), Promise.all(runs)]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
};

type AsAdmin = NodesDeps & { readonly admin: KubeClient };

const untilReady = async (count: number, { admin, clock }: AsAdmin, signal: AbortSignal): Promise<void> => {
  const isReady = ({ status }: Node): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  while ((await admin.list(NODES, { signal })).items.filter(isReady).length < count) {
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
};

interface Place {
  readonly config: ClusterConfig;
  readonly admin: KubeClient;
  readonly at: number;
}

const runNode = async ({ config, admin, at }: Place, deps: NodesDeps, signal: AbortSignal): Promise<void> => {
  const { clock, random, logger } = deps;
  const nodeName = `soak-${at}`;
  const keyPair = createKeyPair(random);
  const asked = requestNodeCertificate({ client: admin, clock, nodeName, keyPair }, signal);
  const [certificate] = await Promise.all([asked, approveFor(keyPair, { ...deps, admin }, signal)]);
  const login = { certificate: inline(new Secret(certificate)), key: inline(renderPrivateKey(keyPair)) };
  const { client, close } = await connectCluster({ ...config, login: { certificate: login } }, deps);
  const processes = createCommandProcesses({
    ...{ clock, random, nextPodIp: addressesOf(at) },
    hasImage: (image) => image !== MISSING_IMAGE,
  });
  try {
    await runNodeAgent({ client, clock, random, logger, processes, ...factsOf(nodeName, at) }, signal);
  } finally {
    await close();
  }
};

const LOOK_EVERY_MS = 100;
const APPROVED = { type: 'Approved', status: 'True', reason: 'Soak', message: 'decided by the soak' } as const;

/** Waits until the key's request is there, and approves it unless somebody has. */
const approveFor = async (keyPair: KeyPair, { admin, clock }: AsAdmin, signal: AbortSignal): Promise<void> => {
  for (;;) {
    const { items } = await admin.list(CERTIFICATE_SIGNING_REQUESTS, { signal });
    const found = items.find(({ spec }) => isSameKey(parseCsr(fromBase64(spec.request)).publicKey, keyPair.publicKey));
    if (found?.status?.conditions !== undefined) return;
    if (found !== undefined) await approve(admin, found, signal);
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
};

/** One that has changed meanwhile is looked at again. */
const approve = async (admin: KubeClient, request: CertificateSigningRequest, signal: AbortSignal): Promise<void> => {
  const answered = { ...request, status: { ...request.status, conditions: [APPROVED] } };
  try {
    await admin.update(CERTIFICATE_SIGNING_REQUESTS, answered, { subresource: 'approval', signal });
  } catch (error) {
    if (!isKind(error, 'conflict')) throw error;
  }
};

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString();

const inline = (pem: Secret<string>) => ({ in: 'data', pem }) as const;

const factsOf = (nodeName: string, at: number): NodeFacts => ({
  nodeName,
  providerId: `soak://${nodeName}`,
  address: `192.168.64.${at + 2}`,
  taints: [],
  labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
  capacity: { cpu: '16', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' },
});

/** Addresses of one Node's Pods, over and over: no Pod of the suite lives long. */
const addressesOf = (at: number): (() => string) => {
  let given = 0;
  return () => {
    given += 1;
    return `10.64.${at}.${1 + (given % 250)}`;
  };
};
