/** Adapter: the system's own ssh, with a key in a file that only its owner can read and that is gone afterwards. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { runOnTerminal } from '../run-on-terminal.ts';

export interface SecretFiles {
  readonly keyFile: string;
  readonly knownHostsFile: string;
}

/** Runs `use` while the files are there. */
export const withSecretFiles = async <T>(
  { key, knownHosts }: { readonly key: Secret<string>; readonly knownHosts: string },
  use: (files: SecretFiles) => Promise<T>,
): Promise<T> => {
  // mkdtemp makes a folder that nobody else can enter.
  const folder = await mkdtemp(join(tmpdir(), 'macfleet-ssh-'));
  try {
    const files = { keyFile: join(folder, 'key'), knownHostsFile: join(folder, 'known_hosts') };
    await writeFile(files.keyFile, key.reveal(), { mode: 0o600 });
    await writeFile(files.knownHostsFile, knownHosts, { mode: 0o600 });
    return await use(files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** On the person's own terminal; gives its exit code. */
export const runSystemSsh = async (args: readonly string[], signal: AbortSignal): Promise<number> => {
  try {
    return await runOnTerminal('ssh', args, signal);
  } catch (cause) {
    throw new FleetError('not-found', {
      code: 'NoSshProgram',
      message: 'ssh cannot be run here',
      hint: 'Install the client of OpenSSH.',
      cause,
    });
  }
};
