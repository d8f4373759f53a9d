/**
 * A whole life on real bash: the simulated cloud delivers a Mac, our preparer bootstraps it over SSH with the real scripts,
 * launchd there really starts the agent; then a second push, a reboot and a reinstall.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stageLife } from './life-stage.ts';

const AGENT = 'dev.tuist.tart-kubelet';
/** Says its arguments, and stays. */
const BUNDLE = 'console.log(process.argv.slice(2).join(" "));\nsetInterval(() => undefined, 1000);\n';

test('a Mac is delivered, bootstrapped, pushed to, rebooted, and reinstalled', { timeout: 120_000 }, async (t) => {
  const { cloud, ref, mac, prepare, through, batches } = await stageLife(t);
  const agent = BUNDLE;
  const job = () => mac.model.launchd.job(AGENT);

  const first = await prepare({ epoch: 1, agent });
  assert.equal(job()?.state, 'running');
  assert.match(
    mac.files.readText('/var/log/tart-kubelet.log') ?? '',
    /--node-name=mac-a .*--provider-id=scaleway:\/\/a/,
  );
  assert.ok(mac.model.pf.isEvaluated('com.apple/tuist.runners'));
  assert.ok(mac.model.loginWindow.hasSession());
  assert.equal(mac.model.accounts.failures(), 0);
  assert.ok(batches.length <= 7, `${batches.length} batches`);

  batches.length = 0;
  const pid = job()?.pid;
  assert.equal(await prepare({ epoch: 2, agent }), first);
  assert.deepEqual([batches.length, job()?.pid], [1, pid], 'a second push only looks');

  assert.notEqual(await prepare({ epoch: 3, agent, release: '2' }), first);
  assert.notEqual(job()?.pid, pid, 'a new bundle is started');
  assert.equal(mac.model.launchd.registrations(AGENT), 1, 'and nothing was registered again');

  await through(() => cloud.as('a person').reboot(ref));
  assert.equal(job()?.state, 'running', 'the agent comes up with the Mac');
  assert.ok(mac.model.pf.rules('tuist.runners').length > 0, 'and so do the rules');

  const before = mac.hostKey();
  await through(() => cloud.as('a person').reinstall(ref));
  assert.notEqual(mac.hostKey(), before);
  assert.equal(job(), undefined);
  await prepare({ epoch: 4, agent });
  assert.equal(job()?.state, 'running');
});
