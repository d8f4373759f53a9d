/** What was tried as the password of a Mac, on its durable record before it is sent: a restart does not begin to count anew (000-3). */
import type { SudoAccess } from '../../hosts/port.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import { changeRecord } from './change-record.ts';

export const sudoAccessOf = (client: KubeClient, host: MacHost, server: ServerAccess): SudoAccess => ({
  password: server.sudoPassword,
  tries: host.spec.budgets.sudo.tries,
  record: (tried, signal) =>
    changeRecord(client, host, {
      signal,
      change: ({ budgets }) => {
        const before = budgets.sudo.tries.filter(({ value, at }) => value !== tried.value || at !== tried.at);
        return { budgets: { sudo: { tries: [...before, tried] } } };
      },
    }),
});
