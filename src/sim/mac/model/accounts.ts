/**
 * The account m1: its password, PAM's tally of wrong ones (a lock that only a reboot opens), and sudo, which asks for
 * the password unless a sudoers file says otherwise.
 */
import type { Secret } from '../../../base/secret.ts';
import { complain, type MacCommands, quiet, say } from './command.ts';
import type { MacFiles } from './files.ts';
import { parseSudoers, readSudoers } from './sudoers.ts';

/** Wrong passwords in a row after which PAM lets nobody in. */
export const PAM_LOCKS_AT = 5;

const REFUSED = 1;
const ASKS = 2;

export interface Accounts {
  readonly commands: MacCommands;
  failures(): number;
  isLocked(): boolean;
  isPassword(given: string): boolean;
  /** So many wrong passwords were given since the boot. */
  setFailures(count: number): void;
  /** A reboot clears the tally. */
  boot(): void;
  setPassword(password: Secret<string>): void;
}

export const createAccounts = (files: MacFiles, first: Secret<string>): Accounts => {
  let password = first;
  let failures = 0;
  const isLocked = (): boolean => failures >= PAM_LOCKS_AT;
  const tryPassword = (given: string) => {
    if (isLocked()) return complain(REFUSED, 'sudo: account validation failure, is your account locked?');
    if (given === password.reveal()) {
      failures = 0;
      return quiet;
    }
    failures += 1;
    return { exitCode: ASKS };
  };
  return {
    failures: () => failures,
    isLocked,
    setFailures: (count) => {
      failures = count;
    },
    isPassword: (given) => given === password.reveal(),
    boot: () => {
      failures = 0;
    },
    setPassword: (next) => {
      password = next;
      failures = 0;
    },
    commands: {
      sudo: ({ uid, args: [question, , given = ''] }) => {
        if (uid === 0) return quiet;
        const { verdict, problems } = readSudoers(files);
        const stderr = problems.map(({ path, line, why }) => `sudo: ${path}:${line}: ${why}\n`).join('');
        if (verdict === 'free') return { ...quiet, stderr };
        if (verdict === 'refused') return complain(REFUSED, 'm1 is not in the sudoers file.');
        return question === 'try' ? tryPassword(given) : { exitCode: ASKS, stderr };
      },
      visudo: ({ args }) => checkSudoers(files, args),
      dscl: ({ args }) => answerDirectory(args, isPasswordRight),
      su: () => complain(1, 'su: Sorry'),
    },
  };

  /** dscl counts a wrong password as PAM does. */
  function isPasswordRight(given: string): boolean {
    return tryPassword(given).exitCode === 0;
  }
};

const checkSudoers = (files: MacFiles, args: readonly string[]) => {
  const at = args.findIndex((arg) => arg.endsWith('f'));
  const path = at === -1 ? undefined : args[at + 1];
  const text = files.readText(path ?? '/etc/sudoers');
  if (text === undefined) return complain(1, `visudo: unable to open ${path}: No such file or directory`);
  const [problem] = path === undefined ? readSudoers(files).problems : parseSudoers(path, text).problems;
  if (problem !== undefined) return complain(1, `${problem.path}:${problem.line}:1: ${problem.why}`);
  return say(`${path ?? '/etc/sudoers'}: parsed OK`);
};

const FACTS_OF_M1: Readonly<Record<string, string>> = {
  ...{ UniqueID: '501', PrimaryGroupID: '20', NFSHomeDirectory: '/Users/m1', UserShell: '/bin/zsh', RealName: 'm1' },
};

const answerDirectory = (args: readonly string[], isPassword: (given: string) => boolean) => {
  const [, verb = '', path = '', key = ''] = args[0] === '-q' ? args.slice(1) : args;
  if (verb.replace('-', '') === 'authonly') {
    return isPassword(key)
      ? quiet
      : complain(1, 'Authentication for node /Local/Default failed. (-14090, eDSAuthFailed)');
  }
  const value = FACTS_OF_M1[key];
  const isM1 = path === '/Users/m1';
  if (verb.replace('-', '') === 'read' && isM1 && value !== undefined) return say(`${key}: ${value}`);
  if (verb.replace('-', '') === 'list') return say('m1', 'nobody', 'root');
  return complain(56, '<dscl_cmd> DS Error: -14136 (eDSRecordNotFound)');
};
