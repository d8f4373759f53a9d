/**
 * The login keychain of m1. From macOS 15 on no virtual machine starts while it is closed (F44). The first graphical login makes
 * it, with the password of the account, and every login opens it with that; one that was made under another password stays
 * closed. Sessions are not told apart: it is open for all or for none.
 */
import { createHash } from 'node:crypto';
import { type CommandAnswer, type CommandCall, complain, type MacCommands, quiet } from './command.ts';
import type { MacFiles } from './files.ts';

export const LOGIN_KEYCHAIN = '/Users/m1/Library/Keychains/login.keychain-db';

/** The file of a keychain that this password opens. */
export const renderKeychain = (password: string): string =>
  `keychain ${createHash('sha256').update(password).digest('hex')}\n`;

export interface Keychain {
  readonly commands: MacCommands;
  isOpen(): boolean;
  /** A graphical session began, by this password. */
  logIn(password: string): void;
  /** The session ended, or the power. */
  close(): void;
}

export const createKeychain = (files: MacFiles): Keychain => {
  let isOpen = false;
  const unlock = (password: string): boolean => {
    isOpen ||= files.readText(LOGIN_KEYCHAIN) === renderKeychain(password);
    return isOpen;
  };
  const close = (): void => {
    isOpen = false;
  };
  const security = ({ args }: CommandCall): CommandAnswer => {
    const [verb] = args;
    if (verb !== 'show-keychain-info' && verb !== 'unlock-keychain' && verb !== 'lock-keychain') return quiet;
    if (files.readText(LOGIN_KEYCHAIN) === undefined) return refuse(50, 'The specified keychain could not be found.');
    if (verb === 'lock-keychain') {
      close();
      return quiet;
    }
    if (verb === 'unlock-keychain')
      return unlock(args[args.indexOf('-p') + 1] ?? '')
        ? quiet
        : refuse(51, 'The user name or passphrase you entered is not correct.');
    return isOpen
      ? complain(0, `Keychain "${LOGIN_KEYCHAIN}" no-timeout`)
      : refuse(36, 'User interaction is not allowed.');
  };
  return {
    ...{ close, commands: { security } },
    isOpen: () => isOpen,
    logIn: (password) => {
      if (files.readText(LOGIN_KEYCHAIN) === undefined)
        files.write(LOGIN_KEYCHAIN, renderKeychain(password), { mode: 0o600, uid: 501, gid: 20 });
      unlock(password);
    },
  };
};

const refuse = (exitCode: number, why: string): CommandAnswer =>
  complain(exitCode, `security: ${LOGIN_KEYCHAIN}: ${why}`);
