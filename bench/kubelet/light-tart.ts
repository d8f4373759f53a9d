/**
 * A `tart` that takes almost no time of this machine, so that what is measured is the agent: the simulated one is a Node program, and each
 * of its commands costs more than all that an agent does for a Pod. It notes when clones and runs began and ended.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledTart } from '../../src/sim/tart/program/install.ts';

export interface TartNote {
  readonly atMs: number;
  readonly what: 'clone' | 'cloned' | 'run' | 'ended';
  readonly vm: string;
}

export interface LightTart {
  /** Everything that was noted so far. */
  notes(): readonly TartNote[];
  /** What guests do that are told nothing, in bash. */
  teach(script: string): void;
}

/** A clone on an idle Mac; APFS copies nothing. */
const CLONE_SECONDS = 0.3;

/** The guest runs what it gets as SIM_GUEST_SCRIPT, in bash, with `$STATUS` as its status share; its end is the VM's. */
const PROGRAM = `#!/bin/bash
home=HOME notes=$home/notes
note() { printf '%s %s %s\\n' "$EPOCHREALTIME" "$1" "$2" >>"$notes"; }
case $1 in
  --version) echo 2.32.1 ;;
  list)
    rows=
    for folder in "$home"/vms/*/; do
      [ -d "$folder" ] || continue
      name=\${folder%/} rows="$rows,{\\"Source\\":\\"local\\",\\"Name\\":\\"\${name##*/}\\",\\"Size\\":20}"
    done
    echo "[\${rows#,}]"
    ;;
  pull) echo "pulling $2..." ;;
  fqn) echo "\${2%:*}@sha256:DIGEST" ;;
  clone)
    note clone "$3"
    case $2 in */*) ;; *) sleep CLONE ;; esac
    mkdir -p "$home/vms/$3"
    note cloned "$3"
    ;;
  set) ;;
  ip) echo 192.168.64.2 ;;
  exec) echo 'Filesystem Use% /'; echo '/ 10%' ;;
  stop) kill "$(<"$home/vms/$2/pid")" ;;
  delete) rm -rf "$home/vms/$2" ;;
  run)
    note run "$2"
    vm=$2
    echo $$ >"$home/vms/$vm/pid"
    : >"$home/vms/$vm/control.sock"
    for word; do case $word in env:*) env=\${word#env:} ;; status:*) STATUS=\${word#status:} ;; esac; done
    export STATUS
    script=$(sed -n 's/^SIM_GUEST_SCRIPT=//p' "\${env%:ro}/tuist.env")
    [ -n "$script" ] || script=$(<"$home/taught")
    eval "$script"
    note ended "$vm"
    ;;
esac
`;

/** The VMs of this Mac alone: the table of the whole machine, with all that runs beside the bench, is none of the agent's cost. */
const PROCESSES = `#!/bin/bash
for file in HOME/vms/*/pid; do
  [ -f "$file" ] || continue
  vm=\${file%/pid} pid=$(<"$file")
  kill -0 "$pid" 2>/dev/null && echo "$pid Mon Nov 16 09:00:00 2026 BINARY run \${vm##*/}"
done
exit 0
`;

/** In the place of the simulated one. */
export const installLightTart = ({ binary, binFolder, home }: InstalledTart): LightTart => {
  const [notes, taught] = [join(home, 'notes'), join(home, 'taught')];
  for (const file of [notes, taught]) writeFileSync(file, '');
  const values = { HOME: home, BINARY: binary, CLONE: String(CLONE_SECONDS), DIGEST: '0'.repeat(64) };
  const write = (path: string, program: string): void => {
    const text = program.replace(/HOME|BINARY|CLONE|DIGEST/g, (name) => values[name as keyof typeof values]);
    writeFileSync(path, text, { mode: 0o755 });
  };
  write(binary, PROGRAM);
  write(join(binFolder, 'ps'), PROCESSES);
  return {
    notes: () => parseNotes(readFileSync(notes, 'utf8')),
    teach: (script) => writeFileSync(taught, script),
  };
};

const parseNotes = (text: string): readonly TartNote[] =>
  text.split('\n').flatMap((line) => {
    const [seconds, what, vm] = line.split(' ');
    if (vm === undefined) return [];
    return [{ atMs: Number(seconds) * 1_000, what: what as TartNote['what'], vm }];
  });
