/**
 * tart-kubelet on a Mac with real bash: pushed by a bootstrap, started by launchd there, it joins a cluster and runs Pods as
 * virtual machines of the simulated Tart, which outlive its next release.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { ADMIN } from '../../../src/controlplane/auth/user.ts';
import { serveControlPlane } from '../../../src/controlplane/serve-control-plane.ts';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../../src/kube/types/core.ts';
import type { Pod } from '../../../src/kube/types/pod.ts';
import { AGENT } from '../../tart-kubelet/agent-under-test.ts';
import { stageLife } from './life-stage.ts';

const signal = neverAborted();
const LOOKS = 300;
const JOB = 'dev.tuist.tart-kubelet';
/** Pushed as it is. */
const BUNDLE = readFileSync(AGENT, 'ascii');

const stageKubelet = async (t: TestContext) => {
  const clock = createSystemClock();
  const logger = createLogger({ clock, level: 'error', destination: { write: () => undefined } });
  const plane = await serveControlPlane({ clock, random: createSystemRandom(), logger, port: 0 });
  t.after(() => plane.close());
  const client = plane.clientFor(ADMIN);
  const { prepare, mac } = await stageLife(t);
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    for (let left = LOOKS; left > 0; left -= 1) {
      if (await holds()) return;
      await mac.exec({ line: 'sleep 1' });
    }
    assert.fail(`${what}: ${mac.files.readText('/var/log/tart-kubelet.log') ?? 'no log'}`);
  };
  const push = (epoch: number): Promise<string> =>
    prepare({ epoch, release: String(epoch), kubeconfig: plane.kubeconfig, agent: BUNDLE });
  await push(1);
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } }, { signal });
  await until('a ready Node', async () => {
    const { items } = await client.list(NODES, { signal });
    const conditions = items.flatMap(({ status }) => status?.conditions ?? []);
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  });
  return {
    ...{ mac, until, push },
    podOf: (name: string): Promise<Pod> => client.get(PODS, { namespace: 'default', name }, { signal }),
    createPod: async (name: string, script: string): Promise<void> => {
      const env = [{ name: 'SIM_GUEST_SCRIPT', value: script }];
      const containers = [{ name: 'main', image: 'ghcr.io/acme/macos:1', env }];
      const spec = { nodeName: 'mac-a', restartPolicy: 'Never' as const, containers };
      await client.create(PODS, { metadata: { name, namespace: 'default' }, spec }, { signal });
    },
    vmPids: async (): Promise<string> => (await mac.exec({ line: "pgrep -f '/MacOS/tart run '" })).stdout,
  };
};

const stateOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state;

test('a Pod runs as a VM on a bootstrapped Mac, and ends with its code', { timeout: 240_000 }, async (t) => {
  const { createPod, podOf, until, vmPids } = await stageKubelet(t);
  await createPod('job', 'uname; exit 7');
  await until('the end of the job', async () => stateOf(await podOf('job'))?.terminated !== undefined);
  const { status } = await podOf('job');
  assert.equal(status?.phase, 'Failed');
  assert.equal(stateOf({ ...(await podOf('job')), status })?.terminated?.exitCode, 7);
  await until('no VM', async () => (await vmPids()) === '');
});

test('004-5 a push of another release leaves VMs at their work', { timeout: 240_000 }, async (t) => {
  const { mac, createPod, podOf, until, push, vmPids } = await stageKubelet(t);
  await createPod('job', 'while [ ! -e go ]; do sleep 0.1; done; exit 5');
  await until('a VM that runs', async () => stateOf(await podOf('job'))?.running !== undefined);
  const vm = await vmPids();
  const agent = mac.model.launchd.job(JOB)?.pid;
  assert.match(vm, /^\d+\n$/);
  await push(2);
  await until('another agent', async () => ![agent, undefined].includes(mac.model.launchd.job(JOB)?.pid));
  assert.equal(await vmPids(), vm, 'the same process');
  await mac.exec({ line: 'for disk in /Users/m1/.tart/vms/*/disk; do touch $disk/go; done' });
  await until('the end of the job', async () => stateOf(await podOf('job'))?.terminated !== undefined);
  assert.equal(stateOf(await podOf('job'))?.terminated?.exitCode, 5);
});
