/** What a builder gets from Apple, Homebrew and GitHub, on a simulated Mac: programs that note how they were called. */
import type { BashMac } from '../../../src/sim/mac/bash/bash-mac.ts';

/** Lines of calls, and the token that GitHub's program was given. */
export const CALLS = '/tmp/calls';
export const TOKEN_SEEN = '/tmp/token';

const NOTE = `echo "$(basename "$0") $*" >>${CALLS}`;
const PROGRAMS: Readonly<Record<string, string>> = {
  '/opt/homebrew/bin/brew': `${NOTE}\nfor name in packer crane oras; do : >/opt/homebrew/bin/$name; chmod 755 /opt/homebrew/bin/$name; done`,
  '/opt/actions-runner/config.sh': `${NOTE}
echo "$ACTIONS_RUNNER_INPUT_TOKEN" >${TOKEN_SEEN}
echo "actions.runner.\${2##*/}.$4" >.name
echo {} >.runner
echo {} >.credentials`,
  '/opt/actions-runner/svc.sh': `${NOTE}
[ "$1" = install ] || exit 1
name=$(cat .name)
mkdir -p ~/Library/LaunchAgents
cat >~/Library/LaunchAgents/"$name".plist <<END
<plist version="1.0"><dict><key>Label</key><string>$name</string>
<key>ProgramArguments</key><array><string>/bin/sleep</string><string>100000</string></array><key>RunAtLoad</key><true/></dict></plist>
END`,
};

export const putBuilderPrograms = ({ files }: BashMac): void => {
  files.makeDirectory('/Applications/Xcode.app/Contents/Developer');
  for (const [path, script] of Object.entries(PROGRAMS)) {
    files.makeDirectory(path.slice(0, path.lastIndexOf('/')), { uid: 501, gid: 20 });
    files.write(path, `#!/bin/sh\n${script}\n`, { mode: 0o755, uid: 501, gid: 20 });
  }
  clearCalls({ files });
};

export const clearCalls = ({ files }: Pick<BashMac, 'files'>): void => {
  files.write(CALLS, '', { mode: 0o666 });
};
