import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { createCommandProcesses } from './command-processes.ts';

const FAIL_ONCE = 'if [[ -r /data/foo ]]\nthen\n exit 0\nelse\n touch /data/foo\n exit 1\nfi';

const podOf = (uid: string, script: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { namespace: 'ns', name: uid, uid },
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'c', image: 'busybox', command: ['/bin/sh', '-c', script] }],
    ...spec,
  },
});

const start = () => {
  const clock = createManualClock();
  let addresses = 0;
  const processes = createCommandProcesses({
    ...{ clock, random: createSeededRandom('pods'), hasImage: (image) => image !== 'missing' },
    nextPodIp: () => {
      addresses += 1;
      return `10.0.0.${addresses}`;
    },
  });
  const woken: string[] = [];
  const unsubscribe = processes.subscribe((key) => void woken.push(key));
  const looked = (pod: Pod) => {
    const { phase, restarts, ...rest } = processes.look(pod);
    return { phase, restarts, ...('exitCode' in rest ? { exitCode: rest.exitCode } : {}) };
  };
  return { clock, processes, woken, unsubscribe, looked };
};

describe('Pods that do what their commands say', () => {
  it('start, run and end, and wake whoever waits each time', () => {
    const { clock, looked, woken } = start();
    const pod = podOf('p', 'sleep 2');
    assert.equal(looked(pod).phase, 'Pending');
    clock.advance(200);
    assert.deepEqual([looked(pod).phase, woken], ['Running', ['ns/p']]);
    clock.advance(2_000);
    assert.deepEqual(looked(pod), { phase: 'Succeeded', restarts: 0, exitCode: 0 });
    assert.deepEqual(woken, ['ns/p', 'ns/p']);
  });

  it('are restarted by their policy, and keep their address and what is in their volume', () => {
    const { clock, processes, looked } = start();
    const pod = podOf('p', FAIL_ONCE, { restartPolicy: 'OnFailure' });
    assert.equal(looked(pod).phase, 'Pending');
    clock.advance(200);
    assert.deepEqual(looked(pod), { phase: 'Running', restarts: 1 }, 'it failed, and waits for its second start');
    clock.advance(1_000);
    assert.deepEqual(looked(pod), { phase: 'Succeeded', restarts: 1, exitCode: 0 });
    assert.equal(processes.look(pod).podIp, '10.0.0.1');
  });

  it('share what is in a folder of their Node, and nothing else', () => {
    const { clock, looked } = start();
    const volumes = [{ name: 'data', hostPath: { path: '/shared' } }];
    const pods = [podOf('a', FAIL_ONCE, { volumes }), podOf('b', FAIL_ONCE, { volumes }), podOf('c', FAIL_ONCE)];
    for (const pod of pods) looked(pod);
    clock.advance(200);
    assert.deepEqual(
      pods.map((pod) => looked(pod).exitCode),
      [1, 0, 1],
    );
  });

  it('are ready when their probe begins to ask', () => {
    const { clock, processes } = start();
    const container = { name: 'c', image: 'agnhost', readinessProbe: { initialDelaySeconds: 20 } };
    const pod = podOf('p', '', { containers: [container], restartPolicy: 'Always' });
    processes.look(pod);
    clock.advance(200);
    const readiness = () => {
      const moment = processes.look(pod);
      return moment.phase === 'Running' && moment.isReady;
    };
    assert.equal(readiness(), false);
    clock.advance(20_000);
    assert.equal(readiness(), true);
  });

  it('wait for an image that is not there', () => {
    const { processes } = start();
    const moment = processes.look(podOf('p', '', { containers: [{ name: 'c', image: 'missing' }] }));
    assert.deepEqual([moment.phase, 'waiting' in moment && moment.waiting?.reason], ['Pending', 'ImagePullBackOff']);
  });

  it('end by a signal when they are stopped, and by themselves when they ended before', () => {
    const { clock, processes, looked } = start();
    const [server, quick] = [podOf('server', 'sleep 100'), podOf('quick', 'exit 3')];
    for (const pod of [server, quick]) looked(pod);
    clock.advance(500);
    const codes = [server, quick].map((pod) => processes.stop(pod, 30_000)?.exitCode);
    assert.deepEqual(codes, [143, 3]);
  });

  it('leave no timer behind when nobody listens any more', () => {
    const { clock, looked, woken, unsubscribe } = start();
    looked(podOf('p', 'sleep 2'));
    unsubscribe();
    assert.equal(clock.timers, 0);
    assert.deepEqual(woken, []);
  });
});
