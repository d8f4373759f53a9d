/** How a simulated Mac refuses a session or loses one, as the port says it. */
import { FleetError } from '../../base/errors.ts';

export const unreachableHost = (address: string): FleetError =>
  new FleetError('unavailable', {
    code: 'HostUnreachable',
    message: `nothing answers SSH at ${address}`,
    hint: 'The Mac may be booting. If it stays so, look at the server at Scaleway.',
    details: { address },
  });

export const connectionLost = (): FleetError =>
  new FleetError('unavailable', {
    code: 'HostConnectionLost',
    message: 'the SSH connection broke while a step was at work',
    hint: 'It is tried again: whether the step was done is looked at first.',
  });

export const hostKeyChanged = (address: string): FleetError =>
  new FleetError('denied', {
    code: 'HostKeyChanged',
    message: `the host at ${address} shows another key than the pinned one`,
    hint: 'If the Mac was reinstalled by hand, clear spec.hostKey of its MacHost; otherwise find out who answers there.',
    details: { address },
  });

export const authenticationFailed = (address: string): FleetError =>
  new FleetError('denied', {
    code: 'AuthenticationFailed',
    message: `the Mac at ${address} does not accept the fleet's SSH key`,
    hint: 'Keys get onto a Mac when it is installed: register the key at Scaleway and reinstall, or prepare the Mac by hand.',
    details: { address },
  });
