/** A kubeconfig with everything inside: server, authority and login. Pure: text out. */
import { stringify } from 'yaml';
import type { Secret } from '../../../base/secret.ts';

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443`. */
  readonly server: string;
  /** PEM of the authority that the server's certificate comes from. */
  readonly authority: string;
  readonly client: { readonly certificate: string; readonly key: Secret<string> } | { readonly token: Secret<string> };
  /** What cluster, user and context are called. */
  readonly name: string;
}

const encode = (pem: string): string => Buffer.from(pem).toString('base64');

/** Holds a private key or a token in the clear: write it for its owner alone. */
export const renderKubeconfig = ({ server, authority, client, name }: KubeconfigOptions): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': encode(authority) } }],
    users: [{ name, user: renderUser(client) }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });

const renderUser = (client: KubeconfigOptions['client']): object =>
  'token' in client
    ? { token: client.token.reveal() }
    : {
        'client-certificate-data': encode(client.certificate),
        'client-key-data': encode(client.key.reveal()),
      };
