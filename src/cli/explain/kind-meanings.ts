/** What each kind of error means to whoever meets it. */
import type { ErrorKind } from '../../base/errors.ts';

/** What to do about an error that does not say it itself, as those of other people's servers. */
export const KIND_HINTS: Readonly<Record<ErrorKind, string>> = {
  invalid: 'Change what was asked for as the message says; asking again will not help.',
  'not-found': 'Look at the name, the namespace (-n) and the context: `macfleet status` shows what is there.',
  exists: 'Use what is there, or choose another name.',
  conflict: 'Run the same again: it begins with what is there now.',
  unavailable: 'Run the same again in a while; if it stays so, look at whether the server, and the Mac behind it, run.',
  throttled: 'Run the same again in a while, and more rarely.',
  'no-capacity': 'Wait until something is free, or make room: more Macs, more quota, more disk.',
  denied: 'Ask whoever runs the cluster for the right, or use another login (--context, --kubeconfig).',
  contract: 'Look at the versions on both sides and at what stands between them; `macfleet version` shows ours.',
  cancelled: 'Nothing, if you stopped it; run the same again to go on.',
  bug: 'This is a defect of macfleet: run the same command with --debug and report what it prints.',
};

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
