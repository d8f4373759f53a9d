/** What a person can do where a Mac could not be prepared: more than a controller would be told. */
import { FleetError } from '../../base/errors.ts';

export interface Identity {
  /** The file with the fleet's key. */
  readonly identity: string;
  readonly user: string;
}

/** The same error, with a hint for somebody who stands before the Mac's console at Scaleway. */
export const adviseOn = (error: FleetError, { identity, user }: Identity): FleetError => {
  const advice = ADVICE[error.code]?.(identity, user);
  if (advice === undefined) return error;
  const { kind, code, message, details } = error;
  return new FleetError(kind, { code, message, hint: advice, details });
};

const ADVICE: Readonly<Record<string, (identity: string, user: string) => string>> = {
  AuthenticationFailed: (identity, user) =>
    `Log in over VNC and append what \`ssh-keygen -y -f ${identity}\` prints to ~/.ssh/scw_authorized_keys of ${user}, or register that key at Scaleway and reinstall the Mac.`,
  HostUnreachable: () =>
    'It was tried for 20 seconds. Look at the server at Scaleway: if it is ready, reboot it there; a Mac that bans your address lets you in again after a reboot.',
  SudoPasswordRefused: (_identity, user) =>
    `Look up the password of ${user} at Scaleway. Each wrong one counts: after a few the account is locked until a reboot.`,
  StepNotVerified: () =>
    'If /etc/kcpassword holds <sealed>, the password is wrong: look it up at Scaleway and run this again.',
};

/** The error that the command ends with: of the kind of the first. */
export const summarise = (failures: ReadonlyMap<string, FleetError>, count: number): FleetError => {
  const [first] = failures.values();
  const names = [...failures.keys()].join(', ');
  return new FleetError(first?.kind ?? 'bug', {
    code: 'HostsNotPrepared',
    message: `${failures.size} of ${count} ${count === 1 ? 'Mac was' : 'Macs were'} not prepared: ${names}`,
    hint: 'What to do for each stands above. Run the same again afterwards: what is done is found done.',
  });
};
