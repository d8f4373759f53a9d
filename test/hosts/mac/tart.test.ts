/** Virtual machines on a Mac with real bash: the simulated Tart in its sandbox, held by what its host allows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeKcpassword } from '../../../src/macos/kcpassword.ts';
import { renderMacProgram } from '../../../src/sim/mac/model/signatures.ts';
import { PASSWORD, stageMac } from './stage.ts';

const KCPASSWORD = Buffer.from(encodeKcpassword(PASSWORD)).toString('base64');
const TART = '/usr/local/lib/tart.app/Contents/MacOS/tart';

test('a VM on a Mac starts once somebody is logged in, is a process there, has an address, runs programs, and ends', {
  timeout: 120_000,
}, async (t) => {
  const { mac, run, asRoot } = await stageMac(t);
  mac.files.write(TART, renderMacProgram({ kind: 'tart', version: '2.32.1', signature: 'signed' }), { mode: 0o755 });
  assert.match((await run(`${TART} create early --linux && ${TART} run early`)).stderr, /VZErrorDomain Code=-9/);
  await asRoot(`echo ${KCPASSWORD} | base64 -D >/etc/kcpassword
    defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
    launchctl kickstart -k system/com.apple.loginwindow; sleep 10`);
  assert.equal((await run(`${TART} --version`)).stdout, '2.32.1\n');
  const script = [
    `${TART} create a --linux`,
    `${TART} run a --no-graphics >/tmp/run.log 2>&1 & sleep 1`,
    `${TART} ip a --wait 30; ${TART} exec a /bin/sh -c 'echo $GUEST_LISTEN; exit 3'; echo $?`,
    `pgrep -f '^${TART} run ' >/dev/null && echo found`,
    `${TART} stop a; wait; cat /tmp/run.log; ${TART} list --quiet`,
  ].join('\n');
  const { stdout, stderr } = await run(script, { shell: 'bash' });
  assert.equal(stderr, '');
  assert.match(stdout, /^192\.168\.64\.2\n127\.\d+\.\d+\.2\n3\nfound\nStopping VM\.\.\.\na\nearly\n$/);
});
