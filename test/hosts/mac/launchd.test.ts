/** launchd really starts programs on a Mac with real bash: from the plist, the flags and the files on its disk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPlist } from '../../../src/sim/mac/model/plist.ts';
import { renderMacProgram } from '../../../src/sim/mac/model/signatures.ts';
import { type MacStage, stageMac } from './stage.ts';

const PLIST = '/Library/LaunchDaemons/dev.test.job.plist';

const writeJob = ({ mac }: MacStage, words: readonly string[], more: Parameters<typeof renderPlist>[0] = {}) =>
  mac.files.write(
    PLIST,
    renderPlist({ Label: 'dev.test.job', ProgramArguments: words, RunAtLoad: true, UserName: 'm1', ...Object(more) }),
  );

const until = async (stage: MacStage, isSo: () => boolean): Promise<void> => {
  for (let left = 200; !isSo(); left -= 1) {
    assert.ok(left > 0, `still not: ${isSo}`);
    await stage.run('sleep 1');
  }
};

test('a job runs as its user, with its environment, into its log, and with a number that ps knows', async (t) => {
  const stage = await stageMac(t);
  const log = '/Users/m1/log';
  writeJob(stage, ['/bin/sh', '-c', 'echo "$(whoami) $GREETING"; sleep 100000'], {
    ...{ StandardOutPath: log, EnvironmentVariables: { GREETING: 'hello & <you>' } },
  });
  assert.equal((await stage.asRoot(`launchctl bootstrap system ${PLIST}`)).exitCode, 0);
  await until(stage, () => stage.mac.files.readText(log) === 'm1 hello & <you>\n');
  const { stdout } = await stage.run("launchctl print system/dev.test.job | awk '/pid =/ {print $3}'");
  assert.match((await stage.run(`ps -o args= -p ${stdout}`)).stdout, /sleep 100000/);
  assert.equal((await stage.asRoot('launchctl bootout system/dev.test.job')).exitCode, 0);
  await until(stage, () => stage.mac.model.launchd.job('dev.test.job') === undefined);
  assert.notEqual((await stage.run(`kill -0 ${stdout}`)).exitCode, 0);
});

test('a job that ends is started again not sooner than its throttle says, and is there after a boot', async (t) => {
  const stage = await stageMac(t);
  writeJob(stage, ['/bin/sh', '-c', 'date +%s; exit 3'], {
    ...{ KeepAlive: true, ThrottleInterval: 10, StandardOutPath: '/Users/m1/log' },
  });
  await stage.reboot();
  await until(stage, () => (stage.mac.model.launchd.job('dev.test.job')?.runs ?? 0) >= 3);
  const [first = 0, second = 0] = stage.mac.files.readText('/Users/m1/log')?.split('\n').map(Number) ?? [];
  assert.ok(second - first >= 9, `${second - first} s between two starts`);
  assert.match((await stage.run('launchctl print system/dev.test.job')).stdout, /last exit code = 3/);
});

test('F49: a program that was written over in place is killed; one in a new file starts', async (t) => {
  const stage = await stageMac(t);
  const program = renderMacProgram({ kind: 'tart', version: '1', signature: 'signed' });
  const newer = renderMacProgram({ kind: 'tart', version: '2', signature: 'signed' });
  stage.mac.files.write('/usr/local/bin/tart', program, { mode: 0o755 });
  assert.equal((await stage.run('/usr/local/bin/tart --version')).stdout, '1\n');
  stage.mac.files.write('/usr/local/bin/tart', newer, { mode: 0o755 });
  const killed = await stage.run('/usr/local/bin/tart --version; echo $?', { shell: 'bash' });
  assert.match(killed.stdout, /137/);
  assert.equal((await stage.asRoot('codesign --force --sign - /usr/local/bin/tart')).exitCode, 0);
  assert.equal((await stage.run('/usr/local/bin/tart --version')).stdout, '2\n');
});

test('a program for a Mac that stands for Node runs JavaScript on the Node of this machine', async (t) => {
  const stage = await stageMac(t);
  const node = renderMacProgram({ kind: 'node', version: 'v26', signature: 'signed' });
  stage.mac.files.write('/usr/local/bin/node', node, { mode: 0o755 });
  stage.mac.files.write('/Users/m1/hello.mjs', 'console.log("hello", process.argv[2], "from", process.cwd());\n');
  const { stdout, stderr } = await stage.run('/usr/local/bin/node hello.mjs you');
  assert.deepEqual([stdout, stderr], ['hello you from /Users/m1\n', '']);
});
