/** Where a server is and as whom to ask it, from the kubeconfig of its administrator. */
import { readFileSync } from 'node:fs';

export interface Login {
  readonly server: URL;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export const readLogin = async (kubeconfigFile: string): Promise<Login> => {
  const { parse } = await import('yaml');
  const config = parse(readFileSync(kubeconfigFile, 'utf8'));
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  return {
    server: new URL(cluster.server),
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
};

const pem = (holder: Readonly<Record<string, string>>, name: string): string => {
  const inline = holder[`${name}-data`];
  return inline === undefined ? readFileSync(holder[name] ?? '', 'utf8') : Buffer.from(inline, 'base64').toString();
};
