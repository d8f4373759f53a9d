/** The shares of a VM, with its log tied to them: a run's log begins before its shares are made, and ends before they are gone. */
import type { GuestShares } from '../../guest/guest-shares.ts';
import type { LogKeeper } from './log-keeper.ts';

export const withLogs = (shares: GuestShares, logs: Pick<LogKeeper, 'begin' | 'resume' | 'finish'>): GuestShares => ({
  ...shares,
  stage: async (guest) => {
    await logs.finish(guest.vm);
    await shares.stage(guest);
    await logs.begin(guest.vm);
  },
  remove: async (vm) => {
    // One that ended while no agent was there has not been copied to its end.
    await logs.resume(vm);
    await logs.finish(vm);
    await shares.remove(vm);
  },
});
