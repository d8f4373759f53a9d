/**
 * The least that anybody must do for a Pod: claim it with one write, clone, set, run, and tell its end. No journal, no look at the Mac, no
 * logs. How long this takes is what the agent's own times are held against.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FINALIZERS } from '../../src/kinds/labels.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { PODS } from '../../src/kube/types/core.ts';
import { keyOf } from '../../src/kube/types/meta.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import { installSimTart } from '../../src/sim/tart/program/install.ts';
import { followPods } from './follow-pods.ts';
import { installLightTart, type LightTart } from './light-tart.ts';

export interface BareAgent {
  readonly nodeName: string;
  readonly tart: LightTart;
}

export interface BareAgentOptions {
  readonly client: KubeClient;
  readonly folder: string;
  readonly nodeName: string;
  readonly signal: AbortSignal;
}

/** Looks after the Pods of its Node until the signal is aborted. */
export const startBareAgent = async (options: BareAgentOptions): Promise<BareAgent> => {
  const { client, folder, nodeName, signal } = options;
  const installed = installSimTart(folder, process.execPath);
  const tart = installLightTart(installed);
  const runTart = async (...words: readonly string[]): Promise<void> => {
    await once(spawn(installed.binary, words, { stdio: 'ignore' }), 'exit');
  };
  const follow = async (pod: Pod): Promise<void> => {
    const vm = `pod-${pod.metadata.name}-${pod.metadata.uid}`;
    const tell = (body: object): Promise<Pod> =>
      client.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
    await tell({ metadata: { finalizers: [FINALIZERS.pod] }, status: { phase: 'Pending' } });
    const share = join(folder, vm);
    mkdirSync(share);
    const script = pod.spec.containers[0]?.env?.[0]?.value ?? '';
    writeFileSync(join(share, 'tuist.env'), `SIM_GUEST_SCRIPT=${script}\n`);
    await runTart('clone', 'golden', vm);
    await runTart('set', vm, '--random-serial');
    await runTart('run', vm, '--no-graphics', '--dir', `env:${share}:ro`);
    await tell({ metadata: { finalizers: null }, status: { phase: 'Succeeded' } });
  };
  const { resourceVersion } = (await client.list(PODS, { signal })).metadata;
  void followPods(client, { resourceVersion, signal }, ({ type, object }) => {
    if (type === 'ADDED' && object.spec.nodeName === nodeName) void follow(object);
  });
  return { nodeName, tart };
};
