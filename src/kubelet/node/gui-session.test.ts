import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toFleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { CommandPort, CommandResult } from '../host/command-port.ts';
import { createGuiSession, lookingOnly } from './gui-session.ts';

const signal = new AbortController().signal;

type Look = Partial<CommandResult> | Error;

/** A Mac whose loginwindow brings a session so many seconds after it is started again; never without. The first looks may be answered otherwise. */
const stageMac = (comesAfterS?: number, ...looks: readonly Look[]) => {
  const clock = createManualClock();
  const calls: string[] = [];
  const odd = [...looks];
  let thereFromMs = Number.POSITIVE_INFINITY;
  const commands: Pick<CommandPort, 'run'> = {
    run: async ({ argv }) => {
      const [, , , verb = ''] = argv;
      calls.push(argv.slice(2).join(' '));
      if (verb === 'kickstart' && comesAfterS !== undefined) thereFromMs = clock.elapsed() + comesAfterS * 1_000;
      const isThere = clock.elapsed() >= thereFromMs;
      if (verb === 'kickstart') return { code: 0, stdout: '', stderr: '' };
      const other = odd.shift();
      if (other instanceof Error) throw other;
      if (other !== undefined)
        return { ...(other.killedBy === undefined && { code: 0 }), stdout: '', stderr: '', ...other };
      return { code: isThere ? 0 : 113, stdout: isThere ? 'domain\n\tsession = Aqua\n' : '', stderr: '' };
    },
  };
  const session = createGuiSession({ commands, clock, logger: silentLogger, uid: 501, life: signal });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await nextTurn();
      clock.advance(1_000);
      await nextTurn();
    }
  };
  const kicks = (): number => calls.filter((call) => call.includes('kickstart')).length;
  return { session, calls, pass, kicks, login: () => (thereFromMs = 0) };
};

const settled = (work: Promise<void>): Promise<string> =>
  work.then(
    () => 'there',
    (error: Error) => error.message,
  );

describe('the graphical session (§1.12)', () => {
  it('is looked for by its own user and left alone when it is there', async () => {
    const { session, calls, login } = stageMac();
    login();
    await session.ensure(signal);
    assert.deepEqual(calls, ['/bin/launchctl print gui/501']);
  });

  it('is brought back by launchd, never by a hang-up (§7-6)', async () => {
    const { session, calls, pass } = stageMac(5);
    const work = settled(session.ensure(signal));
    await pass(7);
    assert.equal(await work, 'there');
    const look = '/bin/launchctl print gui/501';
    assert.deepEqual(calls.slice(0, 3), [look, look, '/bin/launchctl kickstart -k system/com.apple.loginwindow']);
    assert.ok(calls.every((call) => !call.includes('killall')));
  });

  it('is looked for twice before loginwindow is started again: that ends all that runs in a session', async () => {
    const { session, pass, kicks } = stageMac(undefined, { code: 113 }, { stdout: 'session = Aqua' });
    const work = settled(session.ensure(signal));
    await pass(2);
    assert.equal(await work, 'there');
    assert.equal(kicks(), 0);
  });

  const ABSENT: readonly { readonly story: string; readonly look: Look }[] = [
    { story: 'no such service', look: { code: 113, stderr: 'Could not find service' } },
    { story: 'no such domain', look: { code: 112, stderr: 'Could not find domain for user gui: 501' } },
    { story: 'a domain without a screen', look: { stdout: 'session = Background' } },
  ];
  for (const { story, look } of ABSENT)
    it(`is not there: ${story}`, async () => assert.equal(await stageMac(undefined, look).session.look(signal), false));

  const UNSEEN: readonly { readonly story: string; readonly look: Look; readonly says: RegExp }[] = [
    {
      story: 'sudo asks for a password',
      look: { code: 1, stderr: 'sudo: a password is required\n' },
      says: /ended with 1: sudo: a password is required$/,
    },
    { story: 'launchctl was killed', look: { killedBy: 'SIGKILL' }, says: /was ended by SIGKILL$/ },
    { story: 'launchctl complains of something else', look: { code: 5, stderr: 'EIO' }, says: /ended with 5: EIO$/ },
    { story: 'the Mac starts no more processes', look: new Error('spawn EAGAIN'), says: /spawn EAGAIN$/ },
  ];
  for (const { story, look, says } of UNSEEN) {
    it(`is not missing because nobody could look, and nothing is started again: ${story}`, async () => {
      const { session, kicks } = stageMac(5, look, look);
      for (const asked of [session.look, session.ensure]) {
        const error = toFleetError(await asked(signal).catch((thrown: unknown) => thrown));
        assert.equal(error.code, 'GuiSessionUnseen');
        assert.match(error.message, says);
      }
      assert.equal(kicks(), 0);
    });
  }

  it('is waited for also when a look fails meanwhile', async () => {
    const { session, pass } = stageMac(5, { code: 113 }, { code: 113 }, { code: 5 });
    const work = settled(session.ensure(signal));
    await pass(8);
    assert.equal(await work, 'there');
  });

  it('is only looked for by whoever may change nothing', async () => {
    const { session, calls, login } = stageMac(5);
    const onlooker = lookingOnly(session);
    await assert.rejects(onlooker.ensure(signal), { code: 'GuiSessionMissing' });
    login();
    await onlooker.ensure(signal);
    assert.deepEqual(new Set(calls), new Set(['/bin/launchctl print gui/501']));
  });

  it('is given up after half a minute, with what to do', async () => {
    const { session, pass } = stageMac();
    const work = settled(session.ensure(signal));
    await pass(32);
    assert.match(await work, /^ensure gui session: the login user has no graphical session/);
  });

  it('is brought back once for all who want it, and not over and over', async () => {
    const { session, pass, kicks } = stageMac();
    const first = [settled(session.ensure(signal)), settled(session.ensure(signal))];
    await pass(32);
    await Promise.all(first);
    const second = settled(session.ensure(signal));
    await pass(25);
    assert.equal(kicks(), 1);
    await pass(10);
    await second;
    const third = settled(session.ensure(signal));
    await pass(1);
    assert.equal(kicks(), 2);
    await pass(32);
    await third;
  });

  it('is not waited for by one who has no time', async () => {
    const { session, pass } = stageMac(20);
    const hasty = new AbortController();
    const [one, other] = [settled(session.ensure(hasty.signal)), settled(session.ensure(signal))];
    await pass(2);
    hasty.abort();
    assert.match(await one, /cancelled/);
    await pass(22);
    assert.equal(await other, 'there');
  });
});
