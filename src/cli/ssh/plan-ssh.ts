/** The login to a Mac as the system's ssh is told it: with the fleet's key, to the host key on record and to no other. Pure. */
import { createHash } from 'node:crypto';
import { FleetError } from '../../base/errors.ts';
import type { MacHost } from '../../kinds/mac-host.ts';

export interface SshTarget {
  readonly id: string;
  readonly address: string;
  readonly fleet: string;
  /** `SHA256:` and unpadded base64. */
  readonly fingerprint: string;
}

export interface SshWish {
  readonly user: string;
  readonly port: number;
  readonly force: boolean;
}

export const planSsh = ({ metadata, spec, status }: MacHost, { force }: Pick<SshWish, 'force'>): SshTarget => {
  const { name: id } = metadata;
  const address = status?.server?.address ?? spec.source.static?.address;
  if (spec.claimRef !== undefined && !force) throw claimed(id, spec.claimRef.name);
  if (address === undefined)
    throw cannot(id, 'NoAddress', 'its address is not known yet', 'Wait until Scaleway shows it.');
  if (spec.fleet === undefined) {
    throw cannot(
      id,
      'NoFleet',
      'it was in no fleet yet, so that no key opens it',
      'Wait until a machine has claimed it.',
    );
  }
  if (spec.hostKey === undefined) {
    const hint = 'The manager records it when it first logs in; until then use ssh by hand, and know whom you meet.';
    throw cannot(id, 'HostKeyUnknown', 'its SSH host key is not on record', hint);
  }
  return { id, address, fleet: spec.fleet, fingerprint: spec.hostKey.fingerprint };
};

const claimed = (id: string, machine: string): FleetError =>
  new FleetError('conflict', {
    code: 'HostClaimed',
    message: `the Mac ${id} works for the machine ${machine}, and the manager logs in to it`,
    hint: 'Say --force to go there all the same. What you change there is undone by the next roll, or makes it fail.',
  });

const cannot = (id: string, code: string, why: string, hint: string): FleetError =>
  new FleetError('not-found', { code, message: `no login to the Mac ${id}: ${why}`, hint });

/** Of the lines of ssh-keyscan the one with the pinned key, under the Mac's own name; undefined if none has it. */
export const pickKnownHost = (scanned: string, { id, fingerprint }: SshTarget): string | undefined =>
  scanned
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([host = '#', type = '', key = '']) => {
      const isPinned = !host.startsWith('#') && fingerprintOf(key) === fingerprint;
      return isPinned ? [`${id} ${type} ${key}\n`] : [];
    })[0];

const fingerprintOf = (key: string): string => {
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
  return `SHA256:${digest.replace(/=+$/, '')}`;
};

interface SshFiles {
  readonly keyFile: string;
  readonly knownHostsFile: string;
}

/** Nothing of the person's own configuration counts: another key, an agent or a proxy would make it another login. */
export const renderSshArguments = (
  { id, address }: SshTarget,
  { user, port }: Pick<SshWish, 'user' | 'port'>,
  { keyFile, knownHostsFile }: SshFiles,
): readonly string[] => [
  ...['-F', '/dev/null', '-i', keyFile, '-p', String(port)],
  ...['-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none', '-o', `HostKeyAlias=${id}`],
  ...['-o', `UserKnownHostsFile=${knownHostsFile}`, '-o', 'GlobalKnownHostsFile=/dev/null'],
  ...['-o', 'StrictHostKeyChecking=yes', `${user}@${address}`],
];

export const hostKeyDiffers = ({ id, address, fingerprint }: SshTarget): FleetError =>
  new FleetError('denied', {
    code: 'HostKeyDiffers',
    message: `whoever answers at ${address} has not the host key of the Mac ${id} (${fingerprint})`,
    hint: 'Either it does not answer, it was reinstalled outside of Macfleet, or somebody stands in between. Nothing was sent to it.',
  });
