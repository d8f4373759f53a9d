/**
 * A process of the image as a container runtime would start it, in bubblewrap: the files of the image and nothing else, none of them
 * writable, a user that is not root, no capabilities. What it shares with this machine is the network.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHITECTURES } from '../../tools/build-image/architectures.ts';
import { type RootOptions, writeRoot } from '../../tools/build-image/build.ts';
import { USER } from '../../tools/build-image/parts.ts';

export interface ContainerMount {
  /** On this machine. */
  readonly from: string;
  /** In the container. */
  readonly at: string;
  readonly may: 'read' | 'write';
}

export interface Container {
  /** Where writeImageRoot wrote. */
  readonly root: string;
  /** All of it: nothing comes from this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly ContainerMount[];
  readonly command: readonly string[];
}

const PROJECT = join(import.meta.dirname, '..', '..');
/** As Node calls the processors. */
const NAMES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const FOLDERS = ['etc', 'lib', 'lib64', 'opt', 'usr'] as const;

/** Writes the image of this machine's processor as a folder. */
export const writeImageRoot = async (root: string, libraries?: RootOptions['libraries']): Promise<void> => {
  const architecture = ARCHITECTURES.find(({ name }) => name === NAMES[process.arch]);
  if (architecture === undefined) throw new Error(`there is no image for ${process.arch}`);
  await writeRoot({ project: PROJECT, out: root, architecture, macs: 'left-out', libraries, say: () => undefined });
  for (const folder of FOLDERS) mkdirSync(join(root, folder), { recursive: true });
};

/** The command of this machine that runs it. Only root can become somebody else; another user is not root already. */
export const containerWords = ({ root, env, mounts, command }: Container): readonly [string, ...string[]] => {
  const ids = [`--reuid=${USER.id}`, `--regid=${USER.id}`, '--clear-groups', '--no-new-privs'];
  const become = process.getuid?.() === 0 ? ['setpriv', ...ids] : [];
  const [program = 'bwrap', ...words] = [
    ...[...become, 'bwrap', '--unshare-all', '--share-net', '--die-with-parent', '--as-pid-1'],
    ...['--cap-drop', 'ALL', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...FOLDERS.flatMap((folder) => ['--ro-bind', join(root, folder), `/${folder}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--dir', '/tmp'],
    ...mounts.flatMap(({ from, at, may }) => [may === 'read' ? '--ro-bind' : '--bind', from, at]),
    ...['--remount-ro', '/', '--chdir', '/', ...command],
  ];
  return [program, ...words];
};
