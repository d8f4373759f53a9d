/** All defects that the simulation must find, and those that have no place in our code. */
import { IN_CLAIMS } from './in-claims.ts';
import { IN_OWNERSHIP } from './in-ownership.ts';
import { IN_RECOVERY } from './in-recovery.ts';
import { IN_RELEASES } from './in-releases.ts';
import { IN_RUNNERS } from './in-runners.ts';
import type { DesignedOut, Mutant } from './mutant.ts';

export const MUTANTS: readonly Mutant[] = [
  ...[...IN_CLAIMS, ...IN_RELEASES, ...IN_OWNERSHIP, ...IN_RECOVERY],
  ...IN_RUNNERS,
];

export const DESIGNED_OUT: readonly DesignedOut[] = [
  {
    id: 'M3',
    story: 'a staged Secret with a sealed password is never healed',
    why: 'no password is staged: each bootstrap uses the one that a live look at the server shows',
  },
  {
    id: 'M16',
    story: 'a Mac that is still being installed is taken from the pool',
    why: 'a Mac that is taken too early is waited for: until a live look shows it ready, nothing but its name is changed (tried: taken in the middle of a wipe, it joins after it, and no promise breaks)',
  },
  {
    id: 'M17',
    story: 'a server that is busy when its release is asked for holds up the deletion of its machine',
    why: 'a machine goes as soon as the release is stored on the host (R11), and a busy server is waited for, never taken for wiped (N2)',
  },
];
