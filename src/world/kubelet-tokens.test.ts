/** Tokens that a VM is given, where the API gives shorter ones than it was asked for, or the VM is long in coming. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRecord } from '../base/json.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createKubeletWorld, type KubeletWorld } from './kubelet-world.ts';
import { createPod, isReady, runFor, runUntil } from './testing/kubelet-run.ts';

const MINUTE_MS = 60_000;

/** An API server may give less than it is asked for. */
const granting = (client: KubeClient, seconds: number): KubeClient => ({
  ...client,
  createSubresource: (resource, key, request) => {
    const { body } = request;
    const spec = 'spec' in body && isRecord(body.spec) ? { ...body.spec, expirationSeconds: seconds } : {};
    return client.createSubresource(resource, key, { ...request, body: { ...body, spec } });
  },
});

const mintsOf = ({ writes }: KubeletWorld): number =>
  writes.filter(({ subresource }) => subresource === 'token').length;

const tokenOf = (world: KubeletWorld): string | undefined =>
  world.mac.files.now.textOf(`/var/lib/tart-userdata/pod-runner-${world.pod('runner')?.metadata.uid}/sa_token`);

describe('the token of a VM', () => {
  it('§7-29 is renewed by the life that it got, not by the one that was asked for', async () => {
    const world = createKubeletWorld({
      seed: 321,
      adjust: (ports) => ({ ...ports, client: granting(ports.client, 3_600) }),
    });
    createPod(world, { atMs: 1_000, name: 'runner' }, { spec: { automountServiceAccountToken: true } });
    await runUntil(world, 'it runs', () => isReady(world.pod('runner')));
    const first = tokenOf(world);
    await runFor(world, 40 * MINUTE_MS);
    assert.equal(tokenOf(world), first, 'not before its time');
    await runFor(world, 10 * MINUTE_MS);
    assert.notEqual(tokenOf(world), first);
    await runFor(world, 50 * MINUTE_MS);
    assert.equal(mintsOf(world), 3);
  });

  it('§7-29 is a fresh one although its image was long in coming', async () => {
    const world = createKubeletWorld({
      seed: 322,
      adjust: (ports) => ({ ...ports, client: granting(ports.client, 600) }),
    });
    world.mac.configure({ images: { '*': { pullMs: 15 * MINUTE_MS } } });
    createPod(world, { atMs: 1_000, name: 'runner' }, { spec: { automountServiceAccountToken: true } });
    await runUntil(world, 'it starts', () => world.starts.size === 1);
    const [, payload = ''] = tokenOf(world)?.split('.') ?? [];
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const leftMs = exp * 1_000 - world.kernel.actor('test').clock.now();
    assert.ok(leftMs > 9 * MINUTE_MS, `${leftMs / 1_000} s are left`);
  });
});
