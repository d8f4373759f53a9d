/** Every prepared situation is what it says, seen from the Mac's own shell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeKcpassword } from '../../../src/macos/kcpassword.ts';
import { MAC_SCENARIOS } from '../../../src/sim/mac/bash/scenarios.ts';
import { stageScenario } from '../../../src/sim/mac/bash/stage-scenario.ts';
import { PASSWORD, stageMac } from './stage.ts';

const KCPASSWORD = Buffer.from(encodeKcpassword(PASSWORD)).toString('base64');

/** What root types, and what the Mac answers: both outputs. */
const SEEN: Readonly<Record<string, { readonly types: string; readonly reads: RegExp }>> = {
  'pf-wedged': {
    types: 'echo "table <vm_sources> { 10.0.0.1 }" | pfctl -a tuist.runners -f -',
    reads: /cannot define table vm_sources: Resource busy/,
  },
  sealed: {
    types:
      'launchctl kickstart -k system/com.apple.loginwindow; sleep 10; launchctl print gui/501; od -An -tx1 /etc/kcpassword',
    reads: /41 fa 37 42 be d9 b9 d4 a3 b9 1f\n.*Could not find domain/s,
  },
  'loginwindow-dead': { types: 'killall -HUP loginwindow', reads: /No matching processes/ },
  'btm-throttled': {
    types: `printf '%s' '<plist><dict><key>Label</key><string>x</string><key>RunAtLoad</key><true/><key>KeepAlive</key><true/><key>ProgramArguments</key><array><string>/usr/bin/true</string></array></dict></plist>' >/Library/LaunchDaemons/x.plist
      chmod 644 /Library/LaunchDaemons/x.plist; launchctl bootstrap system /Library/LaunchDaemons/x.plist; sleep 12; launchctl print system/x`,
    reads: /runs = 0\n.*held back by background task management/s,
  },
  'account-locked': { types: `echo '${PASSWORD}' | sudo -u m1 sh -c 'sudo -S true'`, reads: /is your account locked/ },
  'keys-forgotten': { types: 'wc -c </Users/m1/.ssh/scw_authorized_keys', reads: /^0\n/ },
  'sshd-stuck': {
    types:
      'nc -z -G 3 127.0.0.1 22 || launchctl bootstrap system /System/Library/LaunchDaemons/ssh.plist; nc -z 127.0.0.1 22 && echo again',
    reads: /^again\n/,
  },
  'clock-behind': { types: 'echo $(($(/host/usr/bin/date +%s) - $(date +%s) > 9000))', reads: /^1\n/ },
  'disk-full': { types: 'head -c 100000 /dev/zero >/Users/m1/.macfleet/f', reads: /No space left on device/ },
  'keychain-closed': {
    types: `sudo -u m1 security unlock-keychain -p '${PASSWORD}' login.keychain`,
    reads: /passphrase you entered is not correct/,
  },
  'local-network-blocked': { types: 'sudo -u m1 nc -z 192.168.64.5 22', reads: /No route to host/ },
  'cache-volume-read-only': { types: 'touch /Volumes/tuist-runner-cache/x', reads: /Read-only file system/ },
  'uplink-broken': { types: 'nc -z api.example.com 6443', reads: /Network is unreachable/ },
  'addresses-gone': {
    types: `echo ${KCPASSWORD} | base64 -D >/etc/kcpassword; defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1
      launchctl kickstart -k system/com.apple.loginwindow; sleep 10; echo '#!/usr/libexec/mach-o tart 2.30.0' >/tmp/tart
      chmod 755 /tmp/tart; codesign --force --sign - /tmp/tart; /tmp/tart create a --linux; /tmp/tart run a >/dev/null 2>&1 & sleep 1; /tmp/tart ip a`,
    reads: /no IP address found/,
  },
  'read-only-etc': { types: 'touch /etc/x', reads: /Read-only file system/ },
  'go-fleet-leftovers': { types: 'sleep 2; launchctl list', reads: /\d+\t0\tdev\.tuist\.tart-kubelet\n/ },
};

for (const scenario of MAC_SCENARIOS) {
  test(`${scenario.name}: ${scenario.about}`, async (t) => {
    const { mac, asRoot } = await stageMac(t);
    await stageScenario(mac, scenario);
    const seen = SEEN[scenario.name];
    assert.ok(seen !== undefined, 'every scenario has its row here');
    const { stdout, stderr } = await asRoot(seen.types);
    assert.match(`${stdout}${stderr}`, seen.reads);
  });
}
