/** The programs that make a sandbox's namespaces: bubblewrap, or util-linux' unshare with a script of ours. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from './mac-root.ts';

export type SandboxMaker = 'bwrap' | 'unshare';

export interface SandboxLayout {
  readonly rootDir: string;
  readonly mounts: readonly Mount[];
  /** Folders of the Mac on which there is no room. */
  readonly full: readonly string[];
}

const SEARCH = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/** Where a program of this machine is. */
export const findProgram = (name: string): string | undefined =>
  SEARCH.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));

/** The better one of those that are here. */
export const chooseMaker = (): SandboxMaker | undefined =>
  (['bwrap', 'unshare'] as const).find((name) => findProgram(name) !== undefined);

/** Room for a few small files, so that the scripts' own bookkeeping is not what fails first. */
const FULL_BYTES = 65_536;
const INIT = 'echo up; exec /host/usr/bin/sleep infinity';

/** Says `up` when all is in its place, and ends with whoever started it. Its only child is the Mac's first process. */
export const makerWords = (maker: SandboxMaker, layout: SandboxLayout): readonly string[] =>
  maker === 'bwrap' ? bwrapWords(layout) : unshareWords(layout);

const bwrapWords = ({ rootDir, mounts, full }: SandboxLayout): readonly string[] => [
  findProgram('bwrap') ?? 'bwrap',
  ...['--ro-bind', rootDir, '/', '--proc', '/proc', '--dev', '/dev'],
  ...mounts.flatMap(({ from, at, may }) => [may === 'read' ? '--ro-bind' : '--bind', from, at]),
  ...full.flatMap((at) => ['--perms', '0777', '--size', String(FULL_BYTES), '--tmpfs', at]),
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--hostname', 'mac', '--die-with-parent'],
  ...['/host/usr/bin/bash', '--norc', '-c', INIT],
];

const unshareWords = ({ rootDir, mounts, full }: SandboxLayout): readonly string[] => [
  ...[findProgram('setpriv') ?? 'setpriv', '--pdeathsig', 'KILL', findProgram('unshare') ?? 'unshare'],
  ...['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child=KILL'],
  ...[findProgram('bash') ?? 'bash', '--norc', join(import.meta.dirname, 'unshare-root.sh'), rootDir],
  ...mounts.flatMap(({ from, at, may }) => [may, from, at]),
  ...full.flatMap((at) => ['full', String(FULL_BYTES), at]),
];
