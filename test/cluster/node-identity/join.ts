/** From a bootstrap token to a registered Node: the way every Mac takes. */
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { renderKubeconfig } from '../../../src/kube/client/login/render-kubeconfig.ts';
import { requestNodeCertificate } from '../../../src/kube/node/node-certificate.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../src/kube/types/certificates.ts';
import { NODES } from '../../../src/kube/types/core.ts';
import { createKeyPair, type KeyPair, renderPrivateKey } from '../../../src/pki/key.ts';
import { renderIdentity } from '../../../src/sim/node/node-object.ts';
import type { Cluster } from '../bench/cluster.ts';
import { writePrivate } from '../bench/pki.ts';
import {
  type BootstrapToken,
  drawToken,
  renderJoinKubeconfig,
  renderTokenObjects,
  startApprover,
} from '../cluster-api/node-access.ts';
import { newId } from '../kinds/kinds-scene.ts';
import { eventually, parts, type Scene } from '../kube/scene.ts';
import type { NodeIdentity } from './stage.ts';

export interface JoinedNode extends NodeIdentity {
  /** Path of the kubeconfig with the bootstrap token. */
  readonly bootstrapKubeconfig: string;
  readonly certificatePem: string;
}

/** Mints a token, asks for a certificate with it, approves that, and registers the Node with the certificate. */
export const joinNode = async (scene: Scene): Promise<JoinedNode> => {
  const { cluster, client, signal, undo } = scene;
  const nodeName = `mac-${newId().slice(0, 8)}`;
  const token = await mintToken(scene);
  const bootstrapKubeconfig = writeKubeconfig(cluster, renderJoinKubeconfig(cluster, token));
  const keyPair = createKeyPair(parts().random);
  const bootstrap = await cluster.client(bootstrapKubeconfig);
  await eventually('the server knows the token and its rights', () =>
    bootstrap.list(CERTIFICATE_SIGNING_REQUESTS, { signal }).then(
      () => true,
      () => false,
    ),
  );
  const approver = startApprover({ client, token, isExpected: (name) => name === nodeName });
  const ask = { client: bootstrap, clock: parts().clock, nodeName, keyPair };
  const certificatePem = await requestNodeCertificate(ask, signal).finally(() => approver.stop());
  const kubeconfig = writeNodeKubeconfig(cluster, { certificatePem, keyPair });
  const self = await cluster.client(kubeconfig);
  await self.create(NODES, renderIdentity(factsOf(nodeName)), { signal });
  undo(() => client.delete(NODES, { name: nodeName }, { signal: neverAborted() }));
  return { nodeName, kubeconfig, bootstrapKubeconfig, certificatePem };
};

const mintToken = async ({ cluster, namespace, undo }: Scene): Promise<BootstrapToken> => {
  const token = drawToken(namespace, parts().random);
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: renderTokenObjects(token) });
  const { code, stderr } = await cluster.kubectl(['create', '-f', '-'], { input });
  if (code !== 0) throw new Error(`the token cannot be minted: ${stderr}`);
  undo(() => cluster.kubectl(['delete', '--ignore-not-found', '-f', '-'], { input }));
  return token;
};

interface Certified {
  readonly certificatePem: string;
  readonly keyPair: KeyPair;
}

/** The path of a kubeconfig for whoever holds this certificate and key. */
export const writeNodeKubeconfig = (cluster: Cluster, { certificatePem, keyPair }: Certified): string => {
  const client = { certificate: certificatePem, key: renderPrivateKey(keyPair) };
  return writeKubeconfig(
    cluster,
    renderKubeconfig({ server: cluster.server, authority: cluster.caPem, client, name: 'mac' }),
  );
};

const writeKubeconfig = ({ dir }: Cluster, text: string): string => {
  const path = join(dir, 'users', `${newId()}.kubeconfig`);
  writePrivate(path, text);
  return path;
};

const factsOf = (nodeName: string) => ({
  nodeName,
  providerId: `scw-applesilicon://fr-par-1/${newId()}`,
  labels: {},
  capacity: { cpu: '8', memory: '14Gi', pods: '3' },
});
