/**
 * Every error of ssh2 as one of ours, by what ssh2 says about where it arose (`level`) and what the system said (`code`).
 * Its text is read in one case only, where ssh2 tells a peer that hung up from one that speaks nonsense by nothing else.
 */
import { FleetError, messageOf } from '../../base/errors.ts';
import { authenticationFailed, connectionLost, hostKeyChanged, unreachableHost } from '../port/session-errors.ts';

export interface SshErrorContext {
  readonly address: string;
  /** `connecting` until the Mac let us in. */
  readonly during: 'connecting' | 'session';
  /** We refused the key that the host showed. */
  readonly isKeyRefused: boolean;
}

/** Where ssh2 says an error arose. */
const PROTOCOL_LEVELS = ['handshake', 'protocol'];

export const mapSshError = (thrown: unknown, { address, during, isKeyRefused }: SshErrorContext): FleetError => {
  if (thrown instanceof FleetError) return thrown;
  if (isKeyRefused) return hostKeyChanged(address);
  const level = memberOf(thrown, 'level');
  if (level === 'client-authentication') return authenticationFailed(address, thrown);
  if (during === 'session') return isProtocolBroken(level) ? protocolBroken(address, thrown) : connectionLost(thrown);
  if (level === 'client-dns') return unknownAddress(address, thrown);
  if (isHungUp(thrown)) return unreachableHost(address, thrown);
  const isFromNetwork = level === 'client-socket' || level === 'client-timeout';
  return isFromNetwork ? unreachableHost(address, thrown) : protocolBroken(address, thrown);
};

/** The connection closed, without any error or with the one that ssh2 makes of it. */
const isHungUp = (thrown: unknown): boolean =>
  thrown === undefined || messageOf(thrown) === 'Connection lost before handshake';

const isProtocolBroken = (level: unknown): boolean => typeof level === 'string' && PROTOCOL_LEVELS.includes(level);

/** A channel that the Mac did not open: `reason` is the number that RFC 4254 gives. */
export const mapChannelError = (thrown: unknown, context: SshErrorContext): FleetError => {
  if (thrown instanceof FleetError) return thrown;
  const reason = memberOf(thrown, 'reason');
  if (reason === undefined) return connectionLost(thrown);
  return new FleetError('unavailable', {
    code: 'HostRefusedChannel',
    message: `the Mac at ${context.address} opened no channel for a command (reason ${String(reason)})`,
    hint: 'MaxSessions of its sshd may be lower than 10, or the Mac has no processes or memory left.',
    details: { address: context.address, reason },
    cause: thrown,
  });
};

const protocolBroken = (address: string, cause: unknown): FleetError =>
  new FleetError('contract', {
    code: 'HostNotSpeakingSsh',
    message: `what answers at ${address} does not speak SSH as we do: ${printable(messageOf(cause))}`,
    hint: 'Look with `ssh -v` who answers there, and whether it offers an Ed25519 host key and curve25519.',
    details: { address },
    cause,
  });

const unknownAddress = (address: string, cause: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'HostAddressUnknown',
    message: `the name ${address} has no address`,
    hint: 'Check the name, and the DNS of the machine that macfleet runs on.',
    details: { address },
    cause,
  });

const memberOf = (thrown: unknown, name: string): unknown =>
  typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined;

const SHOWN_LENGTH = 120;

/** A foreign peer may have put anything into it. */
const printable = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, SHOWN_LENGTH);
