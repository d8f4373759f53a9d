/**
 * loginwindow and the graphical session. It logs the user in by /etc/kcpassword when it starts; a wrong password there is
 * replaced by a marker, so that the file looks right and no session ever comes. SIGHUP ends it for good: launchd does not
 * bring it back before somebody asks.
 */
import type { Clock } from '../../../base/clock.ts';
import { decodeKcpassword, encodeKcpassword, SEALED_PASSWORD } from '../../../macos/kcpassword.ts';
import type { MacFiles } from './files.ts';
import { readPreference } from './preferences.ts';

const KCPASSWORD = '/etc/kcpassword';
const PREFERENCES = '/Library/Preferences/com.apple.loginwindow.plist';
const LOGIN_MS = 3000;
const SEALING_MS = 1000;

export interface LoginWindow {
  isAlive(): boolean;
  hasSession(): boolean;
  /** Sessions that ended because loginwindow was restarted. */
  sessionsLost(): number;
  start(): void;
  /** Ends the session too. */
  stop(): void;
}

export interface LoginWindowDeps {
  readonly files: MacFiles;
  readonly clock: Clock;
  readonly isPassword: (given: string) => boolean;
  /** A session has begun, by this password. */
  readonly onBegin: (password: string) => void;
  /** The session has ended, and what belonged to it with it. */
  readonly onEnd: () => void;
}

export const createLoginWindow = ({ files, clock, isPassword, onBegin, onEnd }: LoginWindowDeps): LoginWindow => {
  let isAlive = false;
  let hasSession = false;
  let lost = 0;
  let cancel = (): void => undefined;
  const stop = (): void => {
    cancel();
    if (hasSession) {
      lost += 1;
      hasSession = false;
      onEnd();
    }
    isAlive = false;
  };
  const logIn = (): void => {
    const encoded = files.read(KCPASSWORD);
    if (encoded === undefined || readPreference(files, PREFERENCES, 'autoLoginUser') !== 'm1') return;
    const password = decodeKcpassword(encoded);
    if (isPassword(password)) {
      cancel = clock.schedule(LOGIN_MS, () => {
        hasSession = true;
        onBegin(password);
      });
      return;
    }
    cancel = clock.schedule(SEALING_MS, () =>
      files.write(KCPASSWORD, encodeKcpassword(SEALED_PASSWORD), { mode: 0o600 }),
    );
  };
  return {
    isAlive: () => isAlive,
    hasSession: () => hasSession,
    sessionsLost: () => lost,
    stop,
    start: () => {
      stop();
      isAlive = true;
      logIn();
    },
  };
};
