/** The certificates of one cluster, as files where the processes look for them. Made by src/pki: openssl is not needed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import {
  type IssuerDeps,
  issueClientCertificate,
  issueServerCertificate,
  type PemPair,
} from '../../../src/controlplane/auth/client-certificate.ts';
import { renderKubeconfig } from '../../../src/kube/client/login/render-kubeconfig.ts';
import { type Authority, createAuthority, parseAuthority } from '../../../src/pki/authority.ts';
import { renderCertificate } from '../../../src/pki/certificate.ts';
import { createKeyPair, renderPrivateKey } from '../../../src/pki/key.ts';

export interface ClusterUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface ClusterPki {
  readonly caPem: string;
  /** `pki/<name>.crt` or `.key`. */
  path(file: string): string;
  issueServer(names: { readonly dnsNames: readonly string[]; readonly ipAddresses: readonly string[] }): PemPair;
  issueClient(user: ClusterUser): PemPair;
  /** The text of a kubeconfig for a client certificate of this user. */
  kubeconfig(server: string, user: ClusterUser): string;
}

const YEAR_MS = 365 * 86_400_000;
const BACKDATED_MS = 5 * 60_000;
const SERVICE_ADDRESS = '10.0.0.1';
const LOOPBACK = { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] };
const API_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** Writes everything that the parts of a cluster need to know each other. */
export const createPki = (dir: string): ClusterPki => {
  const authority = createOwnAuthority('kubernetes-ca');
  const frontProxy = createOwnAuthority('front-proxy-ca');
  const write = (file: string, text: string): void => writePrivate(join(dir, 'pki', file), text);
  const writePair = (name: string, { certificate, key }: PemPair): void => {
    write(`${name}.crt`, certificate);
    write(`${name}.key`, key.reveal());
  };
  writePair('ca', pairOf(authority));
  write('front-proxy-ca.crt', renderCertificate(frontProxy.certificate));
  const apiNames = { dnsNames: [...LOOPBACK.dnsNames, ...API_NAMES], ipAddresses: ['127.0.0.1', SERVICE_ADDRESS] };
  writePair('apiserver', issueServerCertificate(issuer(authority), apiNames));
  writePair('webhook/tls', issueServerCertificate(issuer(authority), LOOPBACK));
  writePair('kubelet-client', issueClientCertificate(issuer(authority), { name: 'kube-apiserver', groups: [] }));
  const frontProxyClient = { name: 'front-proxy-client', groups: [] };
  writePair('front-proxy-client', issueClientCertificate(issuer(frontProxy), frontProxyClient));
  const tokens = createKeyPair(createSystemRandom());
  write('service-account.key', renderPrivateKey(tokens).reveal());
  write('service-account.pub', String(tokens.publicKey.export({ type: 'spki', format: 'pem' })));
  return toPki(dir, authority);
};

/** That of a cluster which somebody else started. */
export const readPki = (dir: string): ClusterPki => {
  const read = (file: string): string => readFileSync(join(dir, 'pki', file), 'utf8');
  return toPki(dir, parseAuthority(read('ca.crt'), new Secret(read('ca.key'))));
};

/** For its owner alone: nearly everything here holds a key. */
export const writePrivate = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
};

const toPki = (dir: string, authority: Authority): ClusterPki => {
  const caPem = renderCertificate(authority.certificate);
  const issueClient = ({ name, groups = [] }: ClusterUser): PemPair =>
    issueClientCertificate(issuer(authority), { name, groups });
  return {
    caPem,
    issueClient,
    path: (file) => join(dir, 'pki', file),
    issueServer: (names) => issueServerCertificate(issuer(authority), names),
    kubeconfig: (server, user) =>
      renderKubeconfig({ server, authority: caPem, client: issueClient(user), name: 'macfleet-bench' }),
  };
};

const issuer = (authority: Authority): IssuerDeps => ({
  authority,
  clock: createSystemClock(),
  random: createSystemRandom(),
});

const pairOf = ({ certificate, keyPair }: Authority): PemPair => ({
  certificate: renderCertificate(certificate),
  key: renderPrivateKey(keyPair),
});

const createOwnAuthority = (commonName: string): Authority => {
  const random = createSystemRandom();
  const nowMs = Date.now();
  return createAuthority({
    subject: { commonName },
    keyPair: createKeyPair(random),
    random,
    notBeforeMs: nowMs - BACKDATED_MS,
    notAfterMs: nowMs + YEAR_MS,
  });
};
