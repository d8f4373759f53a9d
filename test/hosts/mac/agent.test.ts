/**
 * The agent that a bootstrap pushes to a Mac with real bash really joins a cluster: launchd there starts it from the plist,
 * the flags and the kubeconfig on the disk, and a Node appears.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { ADMIN } from '../../../src/controlplane/auth/user.ts';
import { serveControlPlane } from '../../../src/controlplane/serve-control-plane.ts';
import { NODES, type Node } from '../../../src/kube/types/core.ts';
import { stageLife } from './life-stage.ts';

const signal = neverAborted();
const LOOKS = 600;

const isReady = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

test('a bootstrapped Mac becomes a ready Node with its providerID and its fleet', { timeout: 120_000 }, async (t) => {
  const clock = createSystemClock();
  const logger = createLogger({ clock, level: 'error', destination: { write: () => undefined } });
  const plane = await serveControlPlane({ clock, random: createSystemRandom(), logger, port: 0 });
  t.after(() => plane.close());
  const { prepare, mac } = await stageLife(t);
  await prepare({ epoch: 1, kubeconfig: plane.kubeconfig });
  const client = plane.clientFor(ADMIN);
  const look = async (): Promise<Node | undefined> => (await client.list(NODES, { signal })).items[0];
  let node = await look();
  for (let left = LOOKS; !isReady(node); left -= 1) {
    assert.ok(left > 0, mac.files.readText('/var/log/tart-kubelet.log') ?? 'no log');
    await mac.exec({ line: 'sleep 1' });
    node = await look();
  }
  assert.equal(node?.metadata.name, 'mac-a');
  assert.equal(node?.spec?.providerID, 'scaleway://a');
  assert.equal(node?.metadata.labels?.['tuist.dev/fleet'], 'macs');
});
