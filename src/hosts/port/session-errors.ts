/** How a Mac refuses a session or loses one, in the words of the port: the SSH adapter and the simulated Macs share them. */
import { FleetError } from '../../base/errors.ts';

export const unreachableHost = (address: string, cause?: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'HostUnreachable',
    message: `nothing answers SSH at ${address}`,
    hint: 'The Mac may be booting. If it stays so, look at the server at Scaleway.',
    details: { address },
    ...(cause !== undefined && { cause }),
  });

export const connectionLost = (cause?: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'HostConnectionLost',
    message: 'the SSH connection broke while the Mac was at work',
    hint: 'It is tried again: what was done is looked at first.',
    ...(cause !== undefined && { cause }),
  });

export const hostKeyChanged = (address: string): FleetError =>
  new FleetError('denied', {
    code: 'HostKeyChanged',
    message: `the host at ${address} shows another key than the pinned one`,
    hint: 'If the Mac was reinstalled by hand, clear spec.hostKey of its MacHost; otherwise find out who answers there.',
    details: { address },
  });

export const authenticationFailed = (address: string, cause?: unknown): FleetError =>
  new FleetError('denied', {
    code: 'AuthenticationFailed',
    message: `the Mac at ${address} does not accept the fleet's SSH key`,
    hint: 'Keys get onto a Mac when it is installed: register the key at Scaleway and reinstall, or prepare the Mac by hand.',
    details: { address },
    ...(cause !== undefined && { cause }),
  });

export const notWiped = (why: string): FleetError =>
  new FleetError('conflict', {
    code: 'NotWiped',
    message: `the Mac was not wiped: ${why}`,
    hint: 'Release the Mac, which wipes it, and take another.',
    details: { why },
  });

export const staleEpoch = (epoch: number, seen: number): FleetError =>
  new FleetError('conflict', {
    code: 'StaleEpoch',
    message: `the Mac refuses work of epoch ${epoch}: it has seen ${seen}`,
    hint: 'A newer operation works on it. A leader that is alone adopts the higher number.',
    details: { epoch, seen },
  });

export const notFenced = (step: string): FleetError =>
  new FleetError('conflict', {
    code: 'NotFenced',
    message: `the Mac refuses the step ${step}: it has no epoch file, so it was wiped since, or never looked at`,
    hint: 'Begin again with first-look.',
    details: { step },
  });

export const hostBusy = (owner: string): FleetError =>
  new FleetError('conflict', {
    code: 'HostBusy',
    message: `the Mac is being worked on by ${owner}`,
    hint: 'Wait until that has ended. A lock of somebody who died expires after 15 minutes.',
    details: { owner },
  });

export const hostHeld = (claim: string): FleetError =>
  new FleetError('conflict', {
    code: 'HostHeld',
    message: `a controller works on this Mac (${claim})`,
    hint: 'Let the controller prepare it, or release it there first. If you paused the controller, use --force.',
    details: { claim },
  });

export const sessionClosed = (): FleetError =>
  new FleetError('bug', { code: 'SessionClosed', message: 'work was sent through a session that is closed' });

/** Who has not put the key on record must not send anything: whoever answered would go unnoticed for ever. */
export const hostKeyNotPinned = (): FleetError =>
  new FleetError('bug', {
    code: 'HostKeyNotPinned',
    message: 'work was sent through a session that was opened without a pinned host key',
    hint: "Record the session's host key, and open another session with it.",
  });

export const uploadDamaged = (name: string, found: string, sha256: string): FleetError =>
  new FleetError('unavailable', {
    code: 'UploadDamaged',
    message: `${name} did not arrive as it was sent, and was thrown away: its checksum is ${found}, not ${sha256}`,
    hint: 'It is tried again. If it stays so, the file differs from the checksum that was given for it.',
    details: { name, sha256, found },
  });
