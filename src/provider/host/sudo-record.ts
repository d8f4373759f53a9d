/**
 * What was tried as the password of a Mac, on its durable record before it is sent: a restart does not begin to count anew
 * (000-3). The first try is announced: it goes on record together with the epoch under which it is sent, in one write.
 */
import { toTimestamp } from '../../base/clock.ts';
import type { SudoAccess } from '../../hosts/port.ts';
import type { MacHost, MacHostSpec } from '../../kinds/mac-host.ts';
import { changeRecord } from './change-record.ts';
import type { HostPorts } from './ports.ts';

export type SudoTry = MacHostSpec['budgets']['sudo']['tries'][number];

/**
 * Tries that this process put on record and has not sent, by the UID of the host. Who does not know of one, after a restart,
 * takes it for sent.
 */
export type AnnouncedTries = Map<string, SudoTry>;

/** The first try of a password on a Mac; undefined where one was made, or no password is known. */
export const announceTry = (
  { spec }: MacHost,
  { password, nowMs }: { readonly password: string | undefined; readonly nowMs: number },
): SudoTry | undefined =>
  password === undefined || spec.budgets.sudo.tries.length > 0
    ? undefined
    : { value: password, at: toTimestamp(nowMs), outcome: 'sent' };

export const withTry = ({ spec: { budgets } }: MacHost, tried: SudoTry | undefined): Partial<MacHostSpec> =>
  tried === undefined ? {} : { budgets: { ...budgets, sudo: { tries: [...budgets.sudo.tries, tried] } } };

interface SudoJob {
  readonly ports: Pick<HostPorts, 'client'>;
  readonly host: MacHost;
  readonly server: { readonly sudoPassword?: SudoAccess['password'] };
  readonly announced?: AnnouncedTries;
}

export const sudoAccessOf = ({ ports, host, server, announced }: SudoJob): SudoAccess => {
  const { metadata, spec } = host;
  const known = announced?.get(metadata.uid ?? '');
  const ahead = spec.budgets.sudo.tries.find((tried) => isSame(tried, known));
  return {
    password: server.sudoPassword,
    tries: spec.budgets.sudo.tries.filter((tried) => tried !== ahead),
    record: async (tried, signal) => {
      announced?.delete(metadata.uid ?? '');
      const isAhead = ahead?.value === tried.value;
      if (isAhead && tried.outcome === 'sent') return;
      await changeRecord(ports.client, host, {
        signal,
        change: ({ budgets }) => {
          const before = budgets.sudo.tries.filter(
            (other) => !isSame(other, tried) && !(isAhead && isSame(other, ahead)),
          );
          return { budgets: { sudo: { tries: [...before, tried] } } };
        },
      });
    },
  };
};

const isSame = (one: SudoTry, other: Pick<SudoTry, 'value' | 'at'> | undefined): boolean =>
  one.value === other?.value && one.at === other.at;
