/** Puts the simulated `tart` where a program can start it, and writes what it finds outside itself. */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SimTartSettings } from '../tart-settings.ts';
import { SETTINGS_FILE } from './disk-home.ts';

export interface InstalledTart {
  /** The program. */
  readonly binary: string;
  readonly home: string;
  /** Goes first on the PATH of whoever lives on this Mac: a `ps` in there shows this Mac's VMs and not those of others. */
  readonly binFolder: string;
  /** What was set before is forgotten; fields that are left out have their default. */
  configure(settings: Partial<SimTartSettings>): void;
}

/** `node` is the program that runs it. */
export const installSimTart = (folder: string, node: string): InstalledTart => {
  const home = join(folder, 'tart');
  const binFolder = join(folder, 'bin');
  const binary = join(binFolder, 'tart');
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  // Shared by all: compiling takes longer than anything that the program does.
  const cache = fileURLToPath(new URL('../../../../node_modules/.cache/sim-tart', import.meta.url));
  mkdirSync(home, { recursive: true });
  mkdirSync(binFolder, { recursive: true });
  writeProgram(binary, [
    `export TART_HOME="\${TART_HOME:-${home}}" NODE_COMPILE_CACHE="${cache}"`,
    `exec "${node}" "${main}" "${binary}" "$@"`,
  ]);
  writeProgram(join(binFolder, 'ps'), [
    `PATH=\${PATH#*:}`,
    // Without their commands nobody can tell whose they are; whoever asks so knows the numbers of those that he means.
    'case "$*" in *command=*) ;; *) exec ps "$@" ;; esac',
    `ps "$@" | grep -F "${binary} "`,
    'exit 0',
  ]);
  return {
    ...{ binary, home, binFolder },
    configure: (settings) => {
      const path = join(home, SETTINGS_FILE);
      writeFileSync(`${path}.new`, JSON.stringify(settings, null, 2));
      renameSync(`${path}.new`, path);
    },
  };
};

const writeProgram = (path: string, lines: readonly string[]): void => {
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
};
