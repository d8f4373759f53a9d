/**
 * The one place that knows what Tart's exit codes and sentences mean. They were read from the sources of 2.32.1 and 2.35.0.
 * The first row that fits counts.
 */
import { type ErrorKind, FleetError } from '../../base/errors.ts';
import type { CommandResult } from '../host/command-port.ts';

interface Meaning {
  readonly says: RegExp;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly hint?: string;
}

/** macOS writes the apostrophe in two ways. */
const NO_SPACE = /isn[’']t enough space|database or disk is full|No space left on device/i;

/** From macOS 15 on no VM starts without it (F44). */
const OPEN_KEYCHAIN =
  'Log in at the Mac once, with the password that the keychain was made with, or run security unlock-keychain there.';

const MEANINGS: readonly Meaning[] = [
  { says: NO_SPACE, kind: 'no-capacity', code: 'NoSpace', hint: 'Free space on the Mac, or use a smaller image.' },
  { says: /the specified VM ".*" does not exist/, kind: 'not-found', code: 'VmMissing' },
  { says: /VM ".*" is not running/, kind: 'not-found', code: 'VmNotRunning' },
  { says: /VM ".*" is already running!/, kind: 'exists', code: 'VmAlreadyRuns' },
  { says: /VM ".*" is running/, kind: 'conflict', code: 'VmRuns' },
  {
    says: /The number of VMs exceeds the system limit/,
    kind: 'no-capacity',
    code: 'VmLimitReached',
    hint: 'Stop the VMs that nobody needs; if there are none, restart the Mac: macOS sometimes counts VMs that are gone.',
  },
  {
    says: /AuthFailed|UnexpectedHTTPStatusCode\(.*code: 40[13]\b/,
    kind: 'denied',
    code: 'ImagePullDenied',
    hint: 'Give the Pod an imagePullSecret whose user may pull this image.',
  },
  {
    says: /UnexpectedHTTPStatusCode\(.*code: 404\b/,
    kind: 'not-found',
    code: 'ImageNotFound',
    hint: 'Check the name and the tag of the image.',
  },
  { says: /UnexpectedHTTPStatusCode\(.*code: 429\b/, kind: 'throttled', code: 'RegistryThrottled' },
  { says: /failed to parse remote name/, kind: 'invalid', code: 'BadImageName', hint: 'Write it as host/name:tag.' },
  { says: /LessThanMinimalResourcesError/, kind: 'invalid', code: 'VmTooSmall', hint: 'Ask for more CPUs or memory.' },
  {
    says: /maximumAllowed(MemorySize|CPUCount)/,
    kind: 'invalid',
    code: 'VmTooLarge',
    hint: 'Leave about two CPUs and 2 GiB of memory to the Mac itself.',
  },
  {
    says: /VZErrorDomain Code=-9|Failed to create new HostKey/,
    kind: 'unavailable',
    code: 'NoGuiSession',
    hint: 'Somebody must be logged in at the Mac: check automatic login and loginwindow.',
  },
  {
    says: /SecKeyCreateRandomKey_ios failed/,
    kind: 'unavailable',
    code: 'KeychainClosed',
    hint: `The login keychain is closed. ${OPEN_KEYCHAIN}`,
  },
  // What macOS says of a closed keychain, and of other things: the system log of the Mac tells them apart.
  {
    says: /VZErrorDomain Code=1\b/,
    kind: 'unavailable',
    code: 'VmStartRefused',
    hint: `It may be that the login keychain is closed: then the system log of the Mac has SecKeyCreateRandomKey_ios. ${OPEN_KEYCHAIN}`,
  },
  { says: /no IP address found/, kind: 'unavailable', code: 'VmHasNoAddress' },
  { says: /VM is missing some of its files/, kind: 'contract', code: 'VmBroken', hint: 'Delete the VM.' },
  {
    says: /is the Tart Guest Agent running\?/,
    kind: 'unavailable',
    code: 'GuestAgentSilent',
    hint: 'Install the Tart guest agent in the image.',
  },
];

const REFUSED_WORDS: Omit<Meaning, 'says'> = {
  kind: 'contract',
  code: 'TartRefusedWords',
  hint: 'Install a Tart that this version of tart-kubelet knows.',
};
const USAGE_EXIT_CODE = 64;
const MESSAGE_CHARACTERS = 500;

/** What a bad end means. `doing` names it as people know it: "tart pull". */
export const toTartError = (doing: string, result: CommandResult): FleetError => {
  const text = `${result.stderr}\n${result.stdout}`;
  const meaning = MEANINGS.find(({ says }) => says.test(text)) ?? fallback(result);
  return new FleetError(meaning.kind, {
    code: meaning.code,
    message: `${doing}: ${sentenceOf(result)}`,
    ...(meaning.hint === undefined ? {} : { hint: meaning.hint }),
    details: { exitCode: result.code, killedBy: result.killedBy },
  });
};

const fallback = ({ code }: CommandResult): Omit<Meaning, 'says'> =>
  code === USAGE_EXIT_CODE ? REFUSED_WORDS : { kind: 'unavailable', code: 'TartFailed' };

const sentenceOf = ({ code, killedBy, stderr, stdout }: CommandResult): string => {
  const said = (stderr.trim() === '' ? stdout : stderr).trim().slice(-MESSAGE_CHARACTERS);
  const ended = killedBy === undefined ? `ended with code ${code}` : `was ended by ${killedBy}`;
  return said === '' ? ended : `${said} (${ended})`;
};
