import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import { judgePresence } from './observe-host.ts';
import { at, NOW, serverOf } from './testing/views.ts';

const seen: ServerAccess = { ...serverOf('mac-1'), sudoPassword: undefined };
const known = { name: 'mac-1', status: 'ready', address: '192.0.2.1' };

describe('whether a server is gone (R19)', () => {
  const rows = [
    {
      story: 'one look that finds nothing is noted',
      known,
      server: undefined,
      noted: { unseenSince: at(0) },
      is: false,
    },
    {
      story: 'a second one too soon says nothing new',
      known: { ...known, missingSince: at(60_000), unseenSince: at(29_000) },
      server: undefined,
      noted: undefined,
      is: false,
    },
    {
      story: 'two looks apart without a complete list are not enough',
      known: { ...known, unseenSince: at(600_000) },
      server: undefined,
      noted: undefined,
      is: false,
    },
    {
      story: 'two looks apart and a complete list without it: gone',
      known: { ...known, missingSince: at(60_000), unseenSince: at(30_000) },
      server: undefined,
      noted: { missingSince: at(60_000), unseenSince: at(30_000), goneAt: at(0) },
      is: true,
    },
    {
      story: 'a server that shows itself again was never gone',
      known: { ...known, unseenSince: at(600_000), goneAt: at(60_000) },
      server: seen,
      noted: { seenAt: at(0) },
      is: false,
    },
    {
      story: 'what a look shows is noted, and that no list shows it stays noted',
      known: { ...known, name: 'mac-0', missingSince: at(60_000) },
      server: seen,
      noted: { missingSince: at(60_000), seenAt: at(0) },
      is: false,
    },
    { story: 'nothing is noted of a server as it was', known, server: seen, noted: undefined, is: false },
  ];
  for (const { story, known: before, server, noted, is } of rows) {
    it(story, () => {
      const presence = judgePresence(before, { server, atMs: 0 }, NOW);
      assert.deepEqual(presence, { isGone: is, server: noted === undefined ? undefined : { ...known, ...noted } });
    });
  }
});
