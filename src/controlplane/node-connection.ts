/**
 * How the API server reaches the agent of a Node: by TLS, trusting the cluster's own authority alone, and showing a certificate
 * that says who it is. An address that no certificate vouches for is not spoken to.
 */
import { createUndiciTransport } from '../kube/client/undici-transport.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { type IssuerDeps, issueClientCertificate } from './auth/client-certificate.ts';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, type User } from './auth/user.ts';
import type { ConnectNode } from './node-logs.ts';

/** As the API server's own client certificate says. Agents ask the API what it may do with their Node: everything. */
export const KUBELET_CLIENT: User = {
  name: 'kube-apiserver-kubelet-client',
  groups: [MASTERS_GROUP, AUTHENTICATED_GROUP],
};

/** A certificate for each connection: it lives as long as that, so nothing has to be renewed. */
export const connectNodeByTls =
  (issuer: IssuerDeps): ConnectNode =>
  ({ host, port }) => {
    const { certificate: certificatePem, key: keyPem } = issueClientCertificate(issuer, KUBELET_CLIENT);
    const credentials = { certificate: { certificatePem, keyPem } };
    return createUndiciTransport({
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      source: 'the status of the Node',
      ...{ verifyServer: 'yes', caPem: renderCertificate(issuer.authority.certificate) },
      credentials: { current: async () => credentials, renew: async (refused) => refused },
    });
  };
