/** An `ssh` and an `ssh-keyscan` that tell what they were given: no Mac is needed to see what would reach one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Gives the folder to put first on PATH. `key` is what the Mac shows. */
export const writeFakeSsh = (folder: string, key: string): string => {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
  program('ssh-keyscan', [`echo "$5 ssh-ed25519 ${key}"`]);
  program('ssh', ['stat -c %a "$4"', 'cat "$4"', 'echo "$@"', 'echo "$4" >"$HOME/key-file"', 'exit 7']);
  return bin;
};
