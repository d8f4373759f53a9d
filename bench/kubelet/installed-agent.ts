/** The agent as the steps install it on a Mac: the bundle, and the command that starts it. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleKubelet } from '../../tools/build-kubelet/bundle.ts';
import { WRAPPER } from '../../tools/build-kubelet/wrapper.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the command of this folder keeps compiled code. */
export const codeOf = (folder: string): string => join(folder, 'code');

export const bundleOf = (folder: string): string => join(folder, 'tart-kubelet.mjs');

/** The path of the command, with everything in this folder that a Mac has elsewhere. */
export const installAgent = async (folder: string): Promise<string> => {
  const command = join(folder, 'tart-kubelet');
  writeFileSync(bundleOf(folder), (await bundleKubelet(PROJECT)).bytes);
  const places = [
    ['/usr/local/lib/tart-kubelet/tart-kubelet.mjs', bundleOf(folder)],
    ['/usr/local/lib/tart-kubelet/node', process.execPath],
    ['/var/lib/tart-userdata/.code', codeOf(folder)],
  ] as const;
  writeFileSync(
    command,
    places.reduce((text, [there, here]) => text.replace(there, here), WRAPPER),
  );
  chmodSync(command, 0o755);
  return command;
};
