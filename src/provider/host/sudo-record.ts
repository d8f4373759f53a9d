/** What was tried as the password of a Mac, on its durable record before it is sent: a restart does not begin to count anew (000-3). */
import { isKind } from '../../base/errors.ts';
import type { SudoAccess } from '../../hosts/port.ts';
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';

const ATTEMPTS = 5;

export const sudoAccessOf = (client: KubeClient, host: MacHost, server: ServerAccess): SudoAccess => ({
  password: server.sudoPassword,
  tries: host.spec.budgets.sudo.tries,
  record: (tried, signal) => putOnRecord(client, host, { tried, signal }),
});

type Try = Parameters<SudoAccess['record']>[0];

/** Read and written on what was read; others write to the record too. */
const putOnRecord = async (
  client: KubeClient,
  { metadata: { name, uid } }: MacHost,
  { tried, signal }: { readonly tried: Try; readonly signal: AbortSignal },
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    const found = await client.get(MAC_HOSTS, { name }, { signal });
    const before = found.spec.budgets.sudo.tries.filter(({ value, at }) => value !== tried.value || at !== tried.at);
    const tries = [...before, tried];
    const metadata = { uid, resourceVersion: found.metadata.resourceVersion };
    const body = { metadata, spec: { budgets: { sudo: { tries } } } };
    try {
      await client.patch(MAC_HOSTS, { name }, { type: 'merge', body }, { signal });
      return;
    } catch (error) {
      if (!isKind(error, 'conflict') || attempt === ATTEMPTS) throw error;
    }
  }
};
