/** The work behind `macfleet ssh`. Loaded only when it runs. */
import { FleetError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { createHostIo } from '../../kube/client/login/host-io.ts';
import { type Secret as KubeSecret, SECRETS } from '../../kube/types/core.ts';
import type { ClusterFlags } from '../cluster/cluster-flags.ts';
import { type Finding, findHost, findObject } from '../cluster/find-object.ts';
import { type OpenedCluster, withCluster } from '../cluster/open-cluster.ts';
import { EndedWith } from '../ended-with.ts';
import type { CliIo } from '../io.ts';
import {
  hostKeyDiffers,
  pickKnownHost,
  planSsh,
  renderSshArguments,
  type SshTarget,
  type SshWish,
} from './plan-ssh.ts';
import { runSystemSsh, withSecretFiles } from './system-ssh.ts';

export interface SshFlags extends ClusterFlags, SshWish {
  readonly host: string;
  readonly command: readonly string[];
  readonly print: boolean;
  readonly secretsNamespace?: string;
}

const PRIVATE_KEY = 'id_ed25519';
const SCAN_TIMEOUT_MS = 20_000;

export const runSsh = async (flags: SshFlags, io: CliIo): Promise<void> => {
  const { target, secret } = await withCluster(flags, io, (cluster) => lookUp(flags, cluster, io.signal));
  if (flags.print) {
    io.stdout(renderByHand(target, secret, flags));
    return;
  }
  const known = pickKnownHost(await scan(target, flags.port), target);
  if (known === undefined) throw hostKeyDiffers(target);
  const exitCode = await withSecretFiles({ key: readKey(secret), knownHosts: known }, (files) =>
    runSystemSsh([...renderSshArguments(target, flags, files), ...flags.command], io.signal),
  );
  if (exitCode !== 0) throw new EndedWith(exitCode);
};

const lookUp = async (flags: SshFlags, { client }: OpenedCluster, signal: AbortSignal) => {
  const host = await findHost(flags.host, { client, signal });
  const target = planSsh(host, { force: flags.force || flags.print });
  return {
    target,
    secret: await findKey(`${target.fleet}-ssh`, { client, namespace: flags.secretsNamespace, signal }),
  };
};

const findKey = async (name: string, finding: Finding): Promise<KubeSecret> => {
  try {
    return await findObject(SECRETS, name, finding);
  } catch (cause) {
    if (!(cause instanceof FleetError) || cause.code !== 'NoSuchObject') throw cause;
    throw new FleetError('not-found', {
      code: 'NoFleetKey',
      message: `there is no Secret ${name}${finding.namespace === undefined ? '' : ` in ${finding.namespace}`}, which would hold the key of the fleet`,
      hint: 'The simulated Macs of `macfleet up` have no such key, and no ssh leads to them; `macfleet sim mac` starts some that have one. On a real fleet check --secrets-namespace, and whether a manager runs: it makes the Secret.',
      cause,
    });
  }
};

const readKey = ({ metadata, data }: KubeSecret): Secret<string> => {
  const key = Buffer.from(data?.[PRIVATE_KEY] ?? '', 'base64').toString('utf8');
  if (key.includes('PRIVATE KEY-----')) return new Secret(key);
  throw new FleetError('invalid', {
    code: 'NoFleetKey',
    message: `the Secret ${metadata.namespace}/${metadata.name} holds no private key under ${PRIVATE_KEY}`,
    hint: 'Restore it from a backup: it is the only key to the Macs of the fleet.',
  });
};

const scan = async ({ address }: SshTarget, port: number): Promise<string> => {
  const args = ['-T', '10', '-p', String(port), address];
  const { stdout } = await createHostIo().run({ file: 'ssh-keyscan', args, env: {}, timeoutMs: SCAN_TIMEOUT_MS });
  return stdout;
};

/** For whoever wants to log in from elsewhere. The key itself is never printed. */
const renderByHand = (target: SshTarget, { metadata }: KubeSecret, flags: SshFlags): string => {
  const files = { keyFile: 'fleet-key', knownHostsFile: 'fleet-known-hosts' };
  const command = [...renderSshArguments(target, flags, files), ...flags.command].join(' ');
  return [
    `(umask 077; kubectl -n ${metadata.namespace} get secret ${metadata.name} -o go-template='{{index .data "${PRIVATE_KEY}" | base64decode}}' >fleet-key)`,
    `ssh-keyscan -p ${flags.port} ${target.address} | sed 's/^[^ ]*/${target.id}/' >fleet-known-hosts`,
    `ssh-keygen -lf fleet-known-hosts    # one of them must be ${target.fingerprint}; remove the others`,
    `ssh ${command}`,
    '',
  ].join('\n');
};
