/**
 * The agent that a bootstrap pushes to a Mac with real bash really joins a cluster: launchd there starts it from the plist,
 * the flags and the kubeconfig on the disk, and a Node appears.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { Secret } from '../../../src/base/secret.ts';
import { ADMIN } from '../../../src/controlplane/auth/user.ts';
import { serveControlPlane } from '../../../src/controlplane/serve-control-plane.ts';
import { NODES, type Node } from '../../../src/kube/types/core.ts';
import type { BashMac } from '../../../src/sim/mac/bash/bash-mac.ts';
import { openUplink } from '../../../src/sim/mac/bash/uplink.ts';
import { stageLife } from './life-stage.ts';

const signal = neverAborted();
const LOOKS = 600;

const isReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

const stagePlane = async (t: TestContext) => {
  const clock = createSystemClock();
  const logger = createLogger({ clock, level: 'error', destination: { write: () => undefined } });
  const plane = await serveControlPlane({ clock, random: createSystemRandom(), logger, port: 0 });
  t.after(() => plane.close());
  const client = plane.clientFor(ADMIN);
  /** The Node of this Mac's agent. */
  const ready = async (mac: BashMac): Promise<Node> => {
    for (let left = LOOKS; left > 0; left -= 1) {
      const [node] = (await client.list(NODES, { signal })).items;
      if (node !== undefined && isReady(node)) return node;
      await mac.exec({ line: 'sleep 1' });
    }
    assert.fail(mac.files.readText('/var/log/tart-kubelet.log') ?? 'no log');
  };
  return { plane, ready };
};

test('F56: an agent whose cluster cannot be reached stays, and joins when the way is mended', {
  timeout: 120_000,
}, async (t) => {
  const { plane, ready } = await stagePlane(t);
  const uplink = await openUplink(Number(new URL(plane.url).port));
  t.after(() => uplink.close());
  const { prepare, mac } = await stageLife(t);
  uplink.cut();
  const kubeconfig = plane.kubeconfig.reveal().replaceAll(plane.url, `https://127.0.0.1:${uplink.port}`);
  await prepare({ epoch: 1, kubeconfig: new Secret(kubeconfig) });
  const pid = mac.model.launchd.job('dev.tuist.tart-kubelet')?.pid;
  await mac.exec({ line: 'sleep 60' });
  assert.equal(mac.model.launchd.job('dev.tuist.tart-kubelet')?.pid, pid, 'the same process all the time');
  uplink.mend();
  assert.equal((await ready(mac)).metadata.name, 'mac-a');
  assert.equal(mac.model.launchd.job('dev.tuist.tart-kubelet')?.pid, pid);
});

test('a bootstrapped Mac becomes a ready Node with its providerID and its fleet', { timeout: 120_000 }, async (t) => {
  const { plane, ready } = await stagePlane(t);
  const { prepare, mac } = await stageLife(t);
  await prepare({ epoch: 1, kubeconfig: plane.kubeconfig });
  const node = await ready(mac);
  assert.equal(node.metadata.name, 'mac-a');
  assert.equal(node.spec?.providerID, 'scaleway://a');
  assert.equal(node.metadata.labels?.['tuist.dev/fleet'], 'macs');
});
