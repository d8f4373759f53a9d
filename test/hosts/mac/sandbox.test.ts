/** Real bash on simulated Macs: what scripts find there, and that they never get out. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, stageMac, tempDir } from './stage.ts';

const SHIMS = join(import.meta.dirname, '../../../src/sim/mac/bash/shims');

test('a command runs as m1, at home, in the shell it was given to', async (t) => {
  const { run } = await stageMac(t);
  for (const shell of ['bash', 'zsh', 'sh'] as const) {
    const { stdout, stderr, exitCode } = await run('whoami; id -gn; pwd; echo $PATH; exit 4', { shell });
    assert.deepEqual([stdout, stderr, exitCode], ['m1\nstaff\n/Users/m1\n/usr/bin:/bin:/usr/sbin:/sbin\n', '', 4]);
  }
});

test('what macOS lacks is not there, and what it has stands where macOS has it', async (t) => {
  const { run } = await stageMac(t);
  const lacking = ['timeout', 'sha256sum', 'setsid', 'flock', 'tac', 'nproc', 'systemctl', 'apt-get', 'python3', 'jq'];
  assert.equal((await run(`for name in ${lacking.join(' ')}; do command -v $name; done`)).stdout, '');
  const places = ['/bin/launchctl', '/sbin/pfctl', '/usr/bin/sudo', '/usr/bin/codesign', '/usr/sbin/scutil'];
  assert.equal((await run(`ls ${places.join(' ')}`)).stdout.split('\n').length, places.length + 1);
});

test("BSD's dialect is spoken", async (t) => {
  const { run } = await stageMac(t);
  const rows: readonly { readonly line: string; readonly says: string }[] = [
    { line: "stat -f '%Su:%Sg %Lp %z' /etc/shells", says: 'root:wheel 644 27\n' },
    { line: 'echo aGk= | base64 -D', says: 'hi' },
    { line: "echo a >f; sed -i '' s/a/b/ f; cat f", says: 'b\n' },
    { line: 'echo a >g; sed -i.old s/a/b/ g; cat g g.old', says: 'b\na\n' },
    { line: 'date -u -r 0 +%Y', says: '1970\n' },
    { line: `x='a<b'; echo "\${x//</&lt;}"`, says: 'a&lt;b\n' },
    { line: 'uname -sm', says: 'Darwin arm64\n' },
  ];
  for (const { line, says } of rows) assert.equal((await run(line)).stdout, says, line);
  assert.notEqual((await run('echo a >h; sed -i s/a/b/ h')).exitCode, 0, "GNU's -i without a suffix");
});

test('m1 is an ordinary user: it cannot write where root does, nor read what root hides', async (t) => {
  const { run, mac } = await stageMac(t);
  mac.files.write('/etc/kcpassword', 'hidden', { mode: 0o600 });
  assert.equal((await run('cat /etc/kcpassword')).stdout, '');
  assert.match((await run('echo x >/etc/pf.conf')).stderr, /Permission denied/);
  assert.match((await run('chown root f; touch f && chown root f')).stderr, /Operation not permitted/);
  assert.match((await run('pfctl -d')).stderr, /Permission denied/);
});

for (const maker of ['bwrap', 'unshare'] as const)
  test(`root of a Mac has its disk and nothing else of this machine, in a sandbox by ${maker}`, async (t) => {
    const { asRoot, run, mac, reboot } = await stageMac(t, { maker });
    const secret = join(tempDir(t), 'of-this-machine');
    writeFileSync(secret, 'secret');
    assert.equal((await asRoot(`cat ${secret} /etc/shadow /host/etc/passwd`)).stdout, '');
    assert.notEqual((await asRoot('mknod /tmp/disk b 254 0')).exitCode, 0);
    assert.notEqual((await asRoot('touch /bin/x')).exitCode, 0);
    assert.notEqual((await asRoot('touch /host/usr/bin/x')).exitCode, 0);
    assert.notEqual((await asRoot('/host/usr/bin/mount -t tmpfs none /tmp')).exitCode, 0);
    assert.notEqual((await asRoot(`kill -0 ${process.pid}`)).exitCode, 0);
    await asRoot('echo mine >/etc/macfleet-was-here');
    assert.equal(mac.files.readText('/etc/macfleet-was-here'), 'mine\n');
    assert.ok(!existsSync('/etc/macfleet-was-here'));
    assert.equal(
      (
        await run('whoami; echo x >/dev/null && cat /etc/macfleet-was-here; ls -A /host /host/usr | wc -l')
      ).stdout.split('\n')[1],
      'mine',
    );
    await reboot();
    assert.equal((await run('cat /etc/macfleet-was-here')).stdout, 'mine\n');
  });

test('a link on the disk leads the model nowhere outside', async (t) => {
  const { asRoot, mac } = await stageMac(t);
  await asRoot('ln -s ../../../../../../../../etc/passwd /etc/stolen; ln -s /etc/hosts /etc/own; ln -s loop /etc/loop');
  assert.match(mac.files.readText('/etc/stolen') ?? '', /m1:\*:501/);
  assert.match(mac.files.readText('/etc/own') ?? '', /broadcasthost/);
  assert.throws(() => mac.files.readText('/etc/loop'), { code: 'TooManyLinks' });
});

test('outside its sandbox the way in refuses to run anything', (t) => {
  const proof = join(tempDir(t), 'ran');
  const { status, stderr } = spawnSync('bash', [join(SHIMS, 'enter.sh'), 'marker', 'touch', proof], {
    encoding: 'utf8',
  });
  assert.equal(status, 126);
  assert.match(stderr, /nothing was run/);
  assert.ok(!existsSync(proof));
});

test('time passes faster on the Mac, for those who wait and those who ask', async (t) => {
  const { run } = await stageMac(t, { timeScale: 100 });
  const { stdout } = await run('from=$(date +%s); sleep 20; echo $(($(date +%s) - from))');
  assert.ok(Number(stdout) >= 20, stdout);
});

test('a power-off ends everything that ran, and keeps the disk', async (t) => {
  const { run, mac, reboot } = await stageMac(t);
  const left = run('echo here >mark; sleep 100000');
  while (mac.files.readText('/Users/m1/mark') === undefined) await run('sleep 1');
  await reboot();
  assert.notEqual((await left).exitCode, 0);
  assert.equal((await run('cat mark; ps ax | grep -c "[s]leep 100000"')).stdout, 'here\n0\n');
});

test('a wipe leaves nothing, and gives another host key and another password', async (t) => {
  const { run, mac, wipe } = await stageMac(t);
  const before = mac.hostKey();
  await run('echo here >mark; scutil --get ComputerName');
  await wipe('another password');
  assert.equal(mac.files.readText('/Users/m1/mark'), undefined);
  assert.notEqual(mac.hostKey(), before);
  assert.equal((await run('sudo -S true', { stdin: `${PASSWORD}\n` })).exitCode, 1);
  assert.equal((await run('sudo -S true', { stdin: 'another password\n' })).exitCode, 0);
});

test('sudo: asked for a password, allowed by a file, refused by a lock', async (t) => {
  const { run, mac, reboot } = await stageMac(t);
  const sudo = (line: string, stdin = '') => run(`sudo ${line}`, { stdin });
  assert.match((await sudo('-n true')).stderr, /a password is required/);
  assert.match((await sudo('-S id -u', PASSWORD)).stderr, /no password was provided/, 'a line without its end is none');
  assert.deepEqual((await sudo('-S id -u', `${PASSWORD}\n`)).stdout, '0\n');
  assert.equal((await sudo('-S cat', `${PASSWORD}\nthe rest\n`)).stdout, 'the rest\n');
  assert.match((await sudo('-S true', 'a\nb\nc\n')).stderr, /3 incorrect password attempts/);
  await sudo('-S true', 'd\ne\n');
  assert.ok(mac.model.accounts.isLocked());
  assert.match((await sudo('-S true', `${PASSWORD}\n`)).stderr, /is your account locked/);
  await reboot();
  mac.files.write('/etc/sudoers.d/m1-nopasswd', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  assert.equal((await sudo('-n sh -c "id -u; echo $SUDO_USER"')).stdout, '0\n\n');
  assert.equal((await sudo('-n -u m1 id -un')).stdout, 'm1\n');
});

test('what root is asked to run is on record, and a password that sudo read is not', async (t) => {
  const { run, mac } = await stageMac(t);
  await run('sudo -S touch /etc/mark', { stdin: `${PASSWORD}\n` });
  const asked = mac.model.asked.filter(({ name }) => name === 'sudo').map(({ args }) => args);
  assert.deepEqual(asked, [
    ['may', 'root', 'touch', '/etc/mark'],
    ['try', 'root'],
  ]);
});
