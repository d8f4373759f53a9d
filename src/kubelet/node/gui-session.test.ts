import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLogger } from '../../base/logger.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { CommandPort } from '../host/command-port.ts';
import { createGuiSession } from './gui-session.ts';

const signal = new AbortController().signal;

/** A Mac whose loginwindow brings a session so many seconds after it is started again; never without. */
const stageMac = (comesAfterS?: number) => {
  const clock = createManualClock();
  const calls: string[] = [];
  let thereFromMs = Number.POSITIVE_INFINITY;
  const commands: Pick<CommandPort, 'run'> = {
    run: async ({ argv }) => {
      const [, , , verb = ''] = argv;
      calls.push(argv.slice(2).join(' '));
      if (verb === 'kickstart' && comesAfterS !== undefined) thereFromMs = clock.elapsed() + comesAfterS * 1_000;
      const isThere = clock.elapsed() >= thereFromMs;
      if (verb === 'kickstart') return { code: 0, stdout: '', stderr: '' };
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
    assert.equal(calls[1], '/bin/launchctl kickstart -k system/com.apple.loginwindow');
    assert.ok(calls.every((call) => !call.includes('killall')));
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
