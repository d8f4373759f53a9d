/** What the faults of a Mac look like to whoever logs in to it: the same on either kind. */
import type { MacFaultId } from '../mac-fault-list.ts';

export interface SwitchRow {
  readonly fault: MacFaultId;
  /** How the next two logins end, and one after a boot: the code of the refusal, or that it was let in. */
  readonly logins: readonly [string, string];
  readonly afterBoot: string;
}

const [IN, AWAY] = ['done', 'unavailable HostUnreachable'];

/** For one of each, as a person asks for it. */
export const LOGIN_SWITCHES: readonly SwitchRow[] = [
  { fault: 'ssh-refused', logins: [AWAY, IN], afterBoot: IN },
  { fault: 'ssh-banned', logins: [AWAY, AWAY], afterBoot: IN },
  { fault: 'reboot', logins: [IN, IN], afterBoot: IN },
  ...(['host-key-changed', 'keys-forgotten'] as const).map((fault) => {
    const refused = fault === 'keys-forgotten' ? 'denied AuthenticationFailed' : 'denied HostKeyChanged';
    return { fault, logins: [refused, refused], afterBoot: refused } as const;
  }),
];
