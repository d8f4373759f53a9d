/** What the scripts say, without running them: that they work is shown on real bash (test/hosts/steps). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { BUILDER_STEPS, RELEASE_STEPS } from '../step.ts';
import { readStepFiles } from './step-files.ts';

const FILES = readStepFiles();
const texts = { lib: FILES.lib, driver: FILES.driver, ...FILES.steps };

test('T-84, T-85: scripts read exactly the values that their steps declare', () => {
  for (const { id, inputs, secretInputs, artefacts } of [...BUILDER_STEPS, ...RELEASE_STEPS]) {
    const text = FILES.steps[id] ?? '';
    const read = (prefix: string): readonly string[] =>
      [...new Set([...text.matchAll(new RegExp(`\\b${prefix}_(\\w+)`, 'g'))].map(([, name = '']) => name))].sort();
    const declared = [...Object.keys(inputs), ...artefacts.map((name) => `artefact_${name}`)];
    assert.deepEqual(read('in'), declared.sort(), id);
    assert.deepEqual(read('secret'), [...secretInputs].sort(), id);
  }
});

test('003-3: no script sends a hang-up to loginwindow, and none loads all of pf.conf', () => {
  for (const [name, text] of Object.entries(texts)) {
    assert.doesNotMatch(text, /killall/, name);
    assert.doesNotMatch(text, /pf(ctl)? -f \/etc\/pf\.conf/, name);
  }
});

test('T-71: the watchdog has its folder before its file, tries the loopback, and loads sshd anew every minute at most', () => {
  const text = FILES.steps['ssh-watchdog'] ?? '';
  assert.match(text, /put_folders \/usr\/local\/bin\n.*put_file \$WATCHDOG/s);
  assert.match(text, /^nc -z -G 3 127\.0\.0\.1 22 .*&& exit 0$/m);
  assert.match(text, /bootout system\/com\.openssh\.sshd\nlaunchctl bootstrap system .*\/ssh\.plist$/m);
  assert.match(text, /plist_integer StartInterval 60$/m);
  assert.doesNotMatch(text, /socketfilterfw|UseDNS|sshd_config|pfctl/, 'what was tried and given up');
});

test('T-77: the folders of the agent, with that of its VNC control, belong to the login user', () => {
  const text = FILES.steps['agent'] ?? '';
  assert.match(text, /^FOLDERS='.*\/var\/lib\/tart-vnc-control/m);
  assert.match(text, /chown "\$\(me\):staff" \$FOLDERS/);
});
