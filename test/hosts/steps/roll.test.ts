/** 004-5 from end to end: the runner, over SSH, against a Mac on which the scripts run in real bash. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { Secret } from '../../../src/base/secret.ts';
import { createHostPreparer } from '../../../src/hosts/host-preparer.ts';
import type { Hosts, Prepared } from '../../../src/hosts/port.ts';
import { DEFAULT_SSH_TIMES } from '../../../src/hosts/ssh/ssh-connection.ts';
import { createSshHosts } from '../../../src/hosts/ssh/ssh-hosts.ts';
import { openSshKeyFrom } from '../../../src/pki/openssh-key.ts';
import { createMacArtefacts } from '../../../src/sim/mac/bash/mac-artefacts.ts';
import { serveBashMac } from '../../../src/sim/mac/bash/serve-bash-mac.ts';
import { PASSWORD } from '../mac/stage.ts';
import { agentBundle } from './artefacts.ts';
import { STEP_FILES, type StepsStage, stageSteps, startMachine } from './steps-stage.ts';

const KEY = openSshKeyFrom(Buffer.alloc(32, 9));
const JOB = 'dev.tuist.tart-kubelet';
const signal = neverAborted();

interface Push {
  readonly release?: string;
  readonly agent?: string;
  readonly kubeconfig?: string;
  readonly nodeLabels?: string;
  /** Is cut off at this change of a step's state. */
  readonly cutAt?: number;
}

interface Pushed extends Prepared {
  /** Commands and uploads that it took. */
  readonly sent: readonly string[];
}

interface RollStage extends StepsStage {
  push(what?: Push): Promise<Pushed>;
  pid(): number | undefined;
}

/** What is sent, one word each. */
const counted = (hosts: Hosts, sent: string[]): Hosts => ({
  open: async (target, given) => {
    const session = await hosts.open(target, given);
    return {
      ...session,
      run: (batch, more) => {
        sent.push(batch.calls.map(({ step, do: what }) => `${step}/${what}`).join(' '));
        return session.run(batch, more);
      },
      upload: (artefacts, more) => {
        sent.push(`upload ${artefacts.map(({ name }) => name).join(' ')}`);
        return session.upload(artefacts, more);
      },
    };
  },
});

const stage = async (t: TestContext, timeScale = 20): Promise<RollStage> => {
  const steps = await stageSteps(t, { start: 'fresh', authorizedKeys: [KEY.publicKey], timeScale });
  const door = await serveBashMac(steps.mac);
  t.after(() => door.close());
  const clock = createSystemClock();
  const ssh = createSshHosts({ clock, ...DEFAULT_SSH_TIMES, files: STEP_FILES });
  const target = { address: '127.0.0.1', port: door.port, user: 'm1', privateKey: KEY.privateKey };
  let epoch = 0;
  const push = async (what: Push = {}) => {
    const { release = '1', agent = agentBundle('1'), kubeconfig = 'one', nodeLabels = '', cutAt = 0 } = what;
    const sent: string[] = [];
    const cut = new AbortController();
    let changes = 0;
    const onProgress = (): void => {
      changes += 1;
      if (changes === cutAt) cut.abort();
    };
    const artefacts = createMacArtefacts({ release, agent });
    const preparer = createHostPreparer({ hosts: counted(ssh, sent), clock, files: STEP_FILES, artefacts });
    const pinnedHostKey = await preparer.lookAtHostKey({ ...target, pinnedHostKey: undefined }, signal);
    epoch += 1;
    const prepared = await preparer.prepare(
      {
        ...{ target: { ...target, pinnedHostKey }, epoch, claim: 'c', nodeName: 'runner-1', providerId: 'p' },
        ...{ fleet: 'runners', inputs: { nodeLabels }, kubeconfig: new Secret(kubeconfig), onProgress },
        sudo: { password: new Secret(PASSWORD), tries: [], record: () => Promise.resolve() },
      },
      cut.signal,
    );
    return { ...prepared, sent };
  };
  return { ...steps, push, pid: () => steps.mac.model.launchd.job(JOB)?.pid };
};

test('004-5: a push sends what differs and nothing else, and leaves virtual machines alone', async (t) => {
  const mac = await stage(t);
  const cold = await mac.push();
  assert.equal(cold.sent.length, 4, cold.sent.join('\n'));
  const first = mac.pid();
  assert.ok(first !== undefined);
  await startMachine(t, mac);

  const again = await mac.push();
  assert.equal(again.sent.length, 1, again.sent.join('\n'));
  assert.equal(again.digest, cold.digest);
  assert.equal(mac.pid(), first);

  const rolled = await mac.push({ agent: agentBundle('2') });
  assert.deepEqual(rolled.sent.slice(1), ['upload agent', 'agent-bundle/converge agent/converge']);
  assert.notEqual(rolled.digest, cold.digest);
  const second = mac.pid();
  assert.notEqual(second, first);

  const identity = await mac.push({ agent: agentBundle('2'), kubeconfig: 'two' });
  assert.deepEqual(identity.sent.slice(1), ['kubeconfig/converge agent/converge']);
  assert.equal(identity.digest, rolled.digest, 'a secret is no part of the digest');
  const third = mac.pid();
  assert.notEqual(third, second, 'R23: the agent runs on the new kubeconfig');

  const labelled = await mac.push({ agent: agentBundle('2'), kubeconfig: 'two', nodeLabels: 'a=b' });
  assert.deepEqual(labelled.sent.slice(1), ['agent/converge']);
  assert.notEqual(mac.pid(), third);
  assert.equal((await mac.run("pgrep -f '^/usr/local/.*tart run vm$'")).exitCode, 0);
});

test('004-5: an agent that does not stay is not recorded, and the next push repairs it', async (t) => {
  // Seconds that are long enough for a real process to start and die in.
  const mac = await stage(t, 3);
  await mac.push();
  await assert.rejects(mac.push({ agent: 'process.exit(3);\n' }), {
    code: 'StepFailed',
    message: /dies again and again/,
  });
  const repaired = await mac.push({ agent: agentBundle('3') });
  assert.ok(repaired.sent.at(-1)?.endsWith('agent/converge'));
  assert.ok(mac.pid() !== undefined);
});

test('004-5: a drift on the Mac is found and mended by itself', async (t) => {
  const mac = await stage(t);
  await mac.push();
  const first = mac.pid();
  await mac.asRoot('pmset -a sleep 10; echo >/etc/pf.conf; scutil --set HostName other');
  const mended = await mac.push();
  assert.deepEqual(mended.sent.slice(1), ['idle-sleep/converge hostname/converge firewall/converge']);
  assert.equal(mac.pid(), first, 'the agent is not touched');
});

test('F35: pushes that are cut off at one place after another come to the same end', async (t) => {
  const mac = await stage(t);
  let cuts = 0;
  for (const cutAt of [2, 3, 4, 5, 6, 7, 8, 9]) {
    await mac.push({ cutAt }).then(
      () => undefined,
      (error: unknown) => {
        assert.match(String(error), /cancelled|abort/i, `cut at ${cutAt}: ${String(error)}`);
        cuts += 1;
      },
    );
  }
  assert.ok(cuts >= 4, `${cuts} of eight were cut off`);
  await mac.push();
  assert.equal((await mac.push()).sent.length, 1);
  assert.equal(mac.mac.model.accounts.failures(), 0);
  const left = await mac.asRoot("find /private/etc /usr/local /Library -name '*macfleet-new' -o -name '*.app.new'");
  assert.equal(left.stdout, '', 'nothing half done is left');
});
