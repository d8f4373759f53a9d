/** From a login as a kubeconfig states it to credentials that stay fresh. All reading goes through HostIo. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { assert, FleetError, messageOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { Secret } from '../../../base/secret.ts';
import {
  type ClientCertificate,
  type CredentialsSource,
  cachedCredentials,
  isToken,
  type LoadedCredentials,
} from './credentials.ts';
import { parseExecCredential, renderExecInfo, toExecError } from './exec-credential.ts';
import { type HostIo, readRequired } from './host-io.ts';
import type { CertificateSource, ClusterConfig, ExecPlugin, Login, PemSource } from './select-context.ts';

export interface CredentialsDeps {
  readonly host: HostIo;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly caPem: string | undefined;
}

/** Kubernetes swaps mounted tokens well before they expire. */
const FILES_FRESH_FOR_MS = 60_000;
const PLUGIN_TIMEOUT_MS = 45_000;

export const createCredentialsSource = (config: ClusterConfig, deps: CredentialsDeps): CredentialsSource => {
  const { host, clock, logger, caPem } = deps;
  const { login } = config;
  const { exec } = login;
  if (exec === undefined) {
    const load = (): Promise<LoadedCredentials> => readLogin(login, host);
    return cachedCredentials({ clock, logger, load, ...(isInFiles(login) ? { freshForMs: FILES_FRESH_FOR_MS } : {}) });
  }
  const info = renderExecInfo(exec, config, caPem);
  return cachedCredentials({ clock, logger, load: () => runPlugin(exec, info, host) });
};

const isInFiles = ({ tokenFile, certificate }: Login): boolean =>
  tokenFile !== undefined || certificate?.certificate.in === 'file' || certificate?.key.in === 'file';

const readLogin = async ({ token, tokenFile, certificate }: Login, host: HostIo): Promise<LoadedCredentials> => {
  const pair = certificate && (await readPair(certificate, host));
  const shown = tokenFile === undefined ? token : await readToken(tokenFile, host);
  return {
    credentials: {
      ...(shown === undefined ? {} : { token: shown }),
      ...(pair === undefined ? {} : { certificate: pair }),
    },
  };
};

/** The two files of a pair are swapped one after the other; caught in between, the pair is refused and the old one stays. */
const readPair = async ({ certificate, key }: CertificateSource, host: HostIo): Promise<ClientCertificate> => {
  const [certificatePem, keyPem] = await Promise.all([readPem(certificate, host), readPem(key, host)]);
  try {
    const isPair = new X509Certificate(certificatePem.reveal()).checkPrivateKey(createPrivateKey(keyPem.reveal()));
    assert(isPair, 'they do not belong together');
  } catch (thrown) {
    throw new FleetError('denied', {
      code: 'BadCertificateData',
      message: `the client certificate ${nameOf(certificate)} and its key ${nameOf(key)} are no pair: ${messageOf(thrown)}`,
      hint: 'Write both anew, or correct client-certificate and client-key in the kubeconfig.',
    });
  }
  return { certificatePem: certificatePem.reveal(), keyPem };
};

const nameOf = (source: PemSource): string => (source.in === 'file' ? source.path : 'in the kubeconfig');

export const readPem = async (source: PemSource, host: HostIo): Promise<Secret<string>> => {
  if (source.in === 'data') return source.pem;
  const pem = await readRequired(host, source.path);
  if (pem.includes('-----BEGIN ')) return new Secret(pem);
  throw badFile(source.path, 'holds no PEM');
};

const readToken = async (path: string, host: HostIo): Promise<Secret<string>> => {
  const token = (await readRequired(host, path)).trim();
  if (isToken(token)) return new Secret(token);
  throw badFile(path, token === '' ? 'is empty' : 'holds no token');
};

const badFile = (path: string, problem: string): FleetError =>
  new FleetError('denied', {
    code: 'BadCredentialFile',
    message: `the file ${path} ${problem}`,
    hint: 'Write the credential anew, or correct the path in the kubeconfig.',
  });

const runPlugin = async (plugin: ExecPlugin, info: string, host: HostIo): Promise<LoadedCredentials> => {
  const env = { ...plugin.env, KUBERNETES_EXEC_INFO: info };
  const output = await host.run({ file: plugin.command, args: plugin.args, env, timeoutMs: PLUGIN_TIMEOUT_MS });
  if (output.exitCode !== 0) throw toExecError(plugin, output);
  return parseExecCredential(output.stdout, plugin);
};
