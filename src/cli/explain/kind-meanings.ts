/** What each kind of error means to whoever meets it. */
import type { ErrorKind } from '../../base/errors.ts';

export const KIND_MEANINGS: Readonly<Record<ErrorKind, string>> = {
  invalid: 'What was asked for cannot be so: a flag, a field or a file is wrong. Nothing helps but a change.',
  'not-found': 'Something that was named is not there.',
  exists: 'Something of that name is there already.',
  conflict: 'Somebody else wrote first; it is read anew and decided again.',
  unavailable: 'Somebody does not answer now: a server, the network, a Mac. It is tried again, slower and slower.',
  throttled: 'Somebody asks to wait. It is tried again after that time.',
  'no-capacity': 'There is nothing free: no Mac, no quota, no room. It is asked for again, steadily.',
  denied: 'A right, a credential or a certificate is missing or refused. A person has to give it.',
  contract: 'Somebody answers what nobody expected: another version, a proxy in between, a broken answer.',
  cancelled: 'Somebody stopped it.',
  bug: 'A defect of Macfleet. Run the same with --debug and report what it prints.',
};
