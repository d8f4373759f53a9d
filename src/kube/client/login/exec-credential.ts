/** The exchange with a credential plugin (client.authentication.k8s.io): what it is told, and what its answer means. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/json.ts';
import { Secret } from '../../../base/secret.ts';
import { isToken, type LoadedCredentials } from './credentials.ts';
import type { CommandOutput } from './host-io.ts';
import type { ClusterConfig, ExecPlugin } from './select-context.ts';

/** The value of KUBERNETES_EXEC_INFO. We never have a person at hand, so it is never interactive. */
export const renderExecInfo = (
  plugin: ExecPlugin,
  { server, serverName, verifyServer }: ClusterConfig,
  caPem?: string,
) =>
  JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(plugin.wantsCluster === 'no'
        ? {}
        : {
            cluster: {
              server,
              'tls-server-name': serverName,
              'insecure-skip-tls-verify': verifyServer === 'no' ? true : undefined,
              'certificate-authority-data': caPem === undefined ? undefined : Buffer.from(caPem).toString('base64'),
            },
          }),
    },
  });

/** What the plugin printed. It is never quoted: it is a credential, or half of one. */
export const parseExecCredential = (stdout: string, plugin: ExecPlugin): LoadedCredentials => {
  const answer = parseAnswer(stdout, plugin);
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer;
  const expiresAtMs = typeof expirationTimestamp === 'string' ? parseTimestamp(expirationTimestamp) : undefined;
  const certificate =
    typeof clientCertificateData === 'string' && typeof clientKeyData === 'string'
      ? { certificatePem: clientCertificateData, keyPem: new Secret(clientKeyData) }
      : undefined;
  const hasToken = typeof token === 'string' && isToken(token);
  if (!hasToken && certificate === undefined)
    throw badAnswer(plugin, 'holds neither a token nor a certificate and key');
  return {
    credentials: {
      ...(hasToken ? { token: new Secret(token) } : {}),
      ...(certificate === undefined ? {} : { certificate }),
    },
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
};

const parseAnswer = (stdout: string, plugin: ExecPlugin): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = JSON.parse(stdout);
  } catch {
    throw badAnswer(plugin, `of ${stdout.length} characters is not JSON`);
  }
  if (!isRecord(value) || value['kind'] !== 'ExecCredential') throw badAnswer(plugin, 'is no ExecCredential');
  if (value['apiVersion'] !== plugin.apiVersion) throw badAnswer(plugin, `is not of ${plugin.apiVersion}`);
  if (!isRecord(value['status'])) throw badAnswer(plugin, 'has no status');
  return value['status'];
};

const badAnswer = (plugin: ExecPlugin, problem: string): FleetError =>
  new FleetError('denied', {
    code: 'BadExecAnswer',
    message: `the answer of the credential plugin ${plugin.command} ${problem}`,
    hint: 'Run the command by hand and look at what it prints.',
  });

const STDERR_TAIL_CHARACTERS = 500;

export const toExecError = (plugin: ExecPlugin, { exitCode, stderr, problem }: CommandOutput): FleetError => {
  const tail = stderr.trim().slice(-STDERR_TAIL_CHARACTERS);
  const ending = problem ?? `ended with exit code ${exitCode}`;
  return new FleetError('denied', {
    code: 'ExecPluginFailed',
    message: `the credential plugin ${plugin.command} ${ending}${tail === '' ? '' : `: ${tail}`}`,
    hint: plugin.installHint ?? 'Install the command, or run it by hand to see what is wrong.',
  });
};
