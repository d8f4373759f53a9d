/** Causes that a Mac's own words tell: each with a code of its own, and with what to do. */
import type { ErrorKind } from '../../base/errors.ts';

export interface KnownFailure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly hint: string;
}

const SIGNS: readonly (KnownFailure & { readonly sign: RegExp })[] = [
  {
    sign: /No space left on device/,
    ...{ kind: 'unavailable', code: 'HostDiskFull', hint: 'Free space on the Mac, or release it.' },
  },
  {
    sign: /Read-only file system/,
    ...{ kind: 'unavailable', code: 'HostReadOnly', hint: 'The disk may be broken: reboot the Mac, or release it.' },
  },
  {
    sign: /Permission denied/,
    ...{ kind: 'unavailable', code: 'HostPermissionDenied', hint: 'The file or its folder belongs to somebody else.' },
  },
  {
    sign: /account is locked|account has been locked/i,
    kind: 'denied',
    code: 'HostAccountLocked',
    hint: 'A reboot clears the lock. Then give the right password: look it up at Scaleway.',
  },
];

/** Undefined when the text tells no cause that is known. */
export const explainFailure = (said: string): KnownFailure | undefined => {
  const found = SIGNS.find(({ sign }) => sign.test(said));
  return found && { kind: found.kind, code: found.code, hint: found.hint };
};
