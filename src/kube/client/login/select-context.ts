/**
 * One cluster's address and login from a kubeconfig. Pure. Whatever we would have to ignore to go on (a proxy,
 * impersonation) is refused, because ignoring it would make us call somebody else or be somebody else.
 */
import { dirname, resolve } from 'node:path';
import { FleetError } from '../../../base/errors.ts';
import { isRecord } from '../../../base/json.ts';
import { Secret } from '../../../base/secret.ts';
import { isToken } from './credentials.ts';
import { badField, type Entry, type Kubeconfig, textField } from './parse-kubeconfig.ts';

/** PEM text, or the file that holds it. */
export type PemSource =
  | { readonly in: 'data'; readonly pem: Secret<string> }
  | { readonly in: 'file'; readonly path: string };

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  /** The plugin asked to be told about the cluster. */
  readonly wantsCluster: 'yes' | 'no';
}

export interface CertificateSource {
  readonly certificate: PemSource;
  readonly key: PemSource;
}

export interface Login {
  readonly token?: Secret<string>;
  /** Wins over `token` when it can be read. */
  readonly tokenFile?: string;
  readonly certificate?: CertificateSource;
  readonly exec?: ExecPlugin;
}

/** All that is needed to call one cluster. */
export interface ClusterConfig {
  /** For messages: `context "prod" of /home/ada/.kube/config`. */
  readonly source: string;
  readonly server: string;
  readonly namespace?: string;
  readonly ca?: PemSource;
  readonly serverName?: string;
  readonly verifyServer: 'yes' | 'no';
  readonly login: Login;
}

/** The named context, or else the current one. */
export const selectContext = (config: Kubeconfig, wanted?: string): ClusterConfig => {
  const name = wanted ?? config.currentContext;
  const context = name === undefined ? undefined : config.contexts.get(name);
  if (context === undefined) throw noContext(config, name);
  const cluster = follow(context, 'cluster', config.clusters);
  const user = follow(context, 'user', config.users);
  const namespace = textField(context, 'namespace');
  return {
    source: `context "${name}" of ${context.path}`,
    ...toAddress(cluster),
    login: toLogin(user),
    ...(namespace === undefined ? {} : { namespace }),
  };
};

const follow = (context: Entry, field: 'cluster' | 'user', entries: ReadonlyMap<string, Entry>): Entry => {
  const name = textField(context, field);
  if (name === undefined) throw badField(context, `names no ${field}`);
  const entry = entries.get(name);
  if (entry === undefined) throw badField(context, `names the ${field} "${name}", which does not exist`);
  return entry;
};

const noContext = ({ paths, contexts }: Kubeconfig, name: string | undefined): FleetError =>
  new FleetError('invalid', {
    code: 'NoSuchContext',
    message: `kubeconfig ${paths.join(', ')}: ${name === undefined ? 'no current-context' : `no context "${name}"`}`,
    hint:
      contexts.size === 0
        ? 'It has no contexts at all: name another file with --kubeconfig or KUBECONFIG.'
        : `Name one of its contexts: ${[...contexts.keys()].join(', ')}.`,
  });

type Address = Omit<ClusterConfig, 'source' | 'namespace' | 'login'>;

const toAddress = (cluster: Entry): Address => {
  refuse(cluster, ['proxy-url'], 'Proxies are not supported: remove it, or use a tunnel and its address.');
  const server = textField(cluster, 'server');
  if (server === undefined) throw badField(cluster, 'has no server');
  if (!/^https?:$/.test(URL.parse(server)?.protocol ?? '')) {
    throw badField(cluster, 'has a server that is no http or https address', 'Write it as https://host:port.');
  }
  const ca = toPem(cluster, 'certificate-authority');
  const verifyServer = cluster.fields['insecure-skip-tls-verify'] === true ? 'no' : 'yes';
  if (verifyServer === 'no' && ca !== undefined) {
    throw badField(cluster, 'has both certificate-authority and insecure-skip-tls-verify', 'Remove the latter.');
  }
  const serverName = textField(cluster, 'tls-server-name');
  return {
    server,
    verifyServer,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { serverName }),
  };
};

const toLogin = (user: Entry): Login => {
  refuse(user, ['auth-provider'], 'Built-in providers are gone from Kubernetes; use an exec plugin.');
  refuse(user, ['username', 'password'], 'API servers no longer take passwords; use a token or a certificate.');
  refuse(user, ['as', 'as-uid', 'as-groups', 'as-user-extra'], 'Impersonation is not supported.');
  const token = textField(user, 'token');
  if (token !== undefined && !isToken(token)) throw badField(user, 'has a token that holds white space');
  const tokenFile = textField(user, 'tokenFile');
  const certificate = toPem(user, 'client-certificate');
  const key = toPem(user, 'client-key');
  const exec = toExec(user);
  if ((certificate === undefined) !== (key === undefined)) {
    throw badField(
      user,
      `has a ${key === undefined ? 'client-certificate without a client-key' : 'client-key without a client-certificate'}`,
    );
  }
  if (exec !== undefined && (token ?? tokenFile ?? certificate) !== undefined) {
    throw badField(user, 'has exec beside a token or certificate', 'Keep one way to log in.');
  }
  return {
    ...(token === undefined ? {} : { token: new Secret(token) }),
    ...(tokenFile === undefined ? {} : { tokenFile: fromFileOf(user, tokenFile) }),
    ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
    ...(exec === undefined ? {} : { exec }),
  };
};

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

const toExec = (user: Entry): ExecPlugin | undefined => {
  const fields = user.fields['exec'];
  if (fields === undefined || fields === null) return undefined;
  if (!isRecord(fields)) throw badField(user, 'has an exec without fields');
  const exec: Entry = { path: user.path, label: `${user.label} exec`, fields };
  const command = textField(exec, 'command');
  const apiVersion = textField(exec, 'apiVersion');
  const installHint = textField(exec, 'installHint');
  if (command === undefined) throw badField(exec, 'has no command');
  if (apiVersion === undefined || !EXEC_VERSIONS.includes(apiVersion)) {
    throw badField(exec, 'has no apiVersion that we speak', `Write one of ${EXEC_VERSIONS.join(', ')}.`);
  }
  if (textField(exec, 'interactiveMode') === 'Always') {
    throw badField(exec, 'wants to talk to a person (interactiveMode: Always)', 'Log in by other means; we run alone.');
  }
  return {
    apiVersion,
    command: command.includes('/') ? fromFileOf(user, command) : command,
    args: toTexts(exec, 'args'),
    env: toEnv(exec),
    wantsCluster: fields['provideClusterInfo'] === true ? 'yes' : 'no',
    ...(installHint === undefined ? {} : { installHint }),
  };
};

const toTexts = (entry: Entry, field: string): readonly string[] => {
  const value = entry.fields[field] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badField(entry, `has ${field} that are not all text`);
};

const toEnv = (exec: Entry): Readonly<Record<string, string>> => {
  const items = exec.fields['env'] ?? [];
  if (!Array.isArray(items)) throw badField(exec, 'has an env that is no list');
  const pairs = items.map((item: unknown): [string, string] => {
    const variable: Entry = { ...exec, label: `${exec.label} env`, fields: isRecord(item) ? item : {} };
    const name = textField(variable, 'name');
    if (name === undefined) throw badField(variable, 'has an item without a name');
    return [name, textField(variable, 'value') ?? ''];
  });
  return Object.fromEntries(pairs);
};

/** `<field>-data` wins over `<field>`, as with kubectl. */
const toPem = (entry: Entry, field: string): PemSource | undefined => {
  const data = textField(entry, `${field}-data`);
  if (data !== undefined) return { in: 'data', pem: new Secret(decodeBase64(entry, `${field}-data`, data)) };
  const path = textField(entry, field);
  return path === undefined ? undefined : { in: 'file', path: fromFileOf(entry, path) };
};

const decodeBase64 = (entry: Entry, field: string, text: string): string => {
  const packed = text.replaceAll(/\s/g, '');
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(packed) && packed.length % 4 === 0) {
    const pem = Buffer.from(packed, 'base64').toString('utf8');
    if (pem.includes('-----BEGIN ')) return pem;
  }
  throw badField(entry, `has a ${field} that is not PEM in base64`);
};

const fromFileOf = ({ path }: Entry, relative: string): string => resolve(dirname(path), relative);

const refuse = (entry: Entry, fields: readonly string[], hint: string): void => {
  const present = fields.find((field) => (entry.fields[field] ?? '') !== '');
  if (present !== undefined) throw badField(entry, `has ${present}, which we cannot honour`, hint);
};
