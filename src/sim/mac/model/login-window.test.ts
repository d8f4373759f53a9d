/** Who gets a graphical session, and how it is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { decodeKcpassword, encodeKcpassword, SEALED_PASSWORD } from '../../../macos/kcpassword.ts';
import { createLoginWindow } from './login-window.ts';
import { renderPlist } from './plist.ts';
import { createMemoryFiles } from './testing/memory-files.ts';

const LOGS_IN = renderPlist({ autoLoginUser: 'm1' });

const stage = (password: string | undefined, preferences = LOGS_IN) => {
  const clock = createManualClock();
  const files = createMemoryFiles({ '/Library/Preferences/com.apple.loginwindow.plist': preferences });
  if (password !== undefined) files.write('/etc/kcpassword', encodeKcpassword(password));
  let ends = 0;
  const loginWindow = createLoginWindow({
    ...{ files, clock, isPassword: (given) => given === 'right', onBegin: () => undefined },
    onEnd: () => {
      ends += 1;
    },
  });
  loginWindow.start();
  clock.advance(60_000);
  const stored = () => decodeKcpassword(files.read('/etc/kcpassword') ?? new Uint8Array());
  return { clock, loginWindow, ends: () => ends, stored };
};

const rows: readonly {
  readonly story: string;
  readonly password?: string;
  readonly preferences?: string;
  readonly session: boolean;
  readonly stored: string;
}[] = [
  { story: 'the right password logs in', password: 'right', session: true, stored: 'right' },
  { story: 'F42: a wrong one is sealed', password: 'wrong', session: false, stored: SEALED_PASSWORD },
  { story: 'F42: the marker stays what it is', password: SEALED_PASSWORD, session: false, stored: SEALED_PASSWORD },
  { story: 'no password, no session', session: false, stored: '' },
  {
    story: 'nobody is named who logs in',
    password: 'right',
    preferences: renderPlist({}),
    session: false,
    stored: 'right',
  },
];
for (const { story, password, preferences, session, stored: left } of rows) {
  test(story, () => {
    const { loginWindow, stored } = stage(password, preferences);
    assert.deepEqual([loginWindow.hasSession(), stored()], [session, left]);
  });
}

test('F43: once it is stopped it stays dead, and its session with it, until it is started', () => {
  const { loginWindow, ends, clock } = stage('right');
  loginWindow.stop();
  clock.advance(600_000);
  assert.deepEqual([loginWindow.isAlive(), loginWindow.hasSession(), loginWindow.sessionsLost()], [false, false, 1]);
  loginWindow.start();
  clock.advance(60_000);
  assert.deepEqual([loginWindow.hasSession(), ends()], [true, 1]);
});
