/** The guest as a program of VMs that are steps: an image whose script is DISPATCH_POLL brings it. */
import type { DispatchTransport } from '../../../dispatch/port/transport.ts';
import type { GuestPrograms } from '../../tart/guest.ts';
import { readGuestSettings } from './guest-ports.ts';
import { runGuest } from './run-guest.ts';

/** `SIM_SPEED=10 dispatch-poll` polls ten times as often as in life. */
export const DISPATCH_POLL = 'dispatch-poll';

/** `transportOf` is how a Pod reaches the dispatcher. */
export const createGuestPrograms = (transportOf: (pod: string) => DispatchTransport): GuestPrograms => ({
  [DISPATCH_POLL]: ({ env, clock, signal, print, readShared }) => {
    const settings = readGuestSettings(env);
    const token = (): string => readShared('sa_token') ?? '';
    return runGuest({ clock, signal, print, token, settings, transport: transportOf(settings.podName) });
  },
});
