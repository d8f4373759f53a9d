/** Pods as VMs of real processes, on the embedded control plane. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CONFIG_MAPS, EVENTS, PODS, SECRETS } from '../../src/kube/types/core.ts';
import type { Pod } from '../../src/kube/types/pod.ts';
import { createKubeletBench, type KubeletBench } from './kubelet-bench.ts';
import { HOST_IP } from './process-mac.ts';

const phase =
  (wanted: string) =>
  (pod: Pod | undefined): boolean =>
    pod?.status?.phase === wanted;
const isReady = (pod: Pod | undefined): boolean =>
  pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const terminated = (pod: Pod) => pod.status?.containerStatuses?.[0]?.state?.terminated;
const waiting = (pod: Pod) => pod.status?.containerStatuses?.[0]?.state?.waiting;
const untilClean = (bench: KubeletBench, signal: AbortSignal): Promise<void> =>
  bench.untilTrue('no VM is left', async () => (await bench.vms.list(signal)).every(({ isGolden }) => isGolden));

const FOREVER = 'sleep 1000';

describe('a Pod on a Mac', { concurrency: 2 }, () => {
  it('runs as a VM, ends with the exit code of its guest, and leaves nothing behind', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('good', { script: 'echo hello; exit 0' });
    await bench.run('bad', { script: 'exit 3' });
    const good = await bench.until('good', 'succeeds', phase('Succeeded'));
    assert.deepEqual([terminated(good)?.exitCode, terminated(good)?.reason], [0, 'Completed']);
    const bad = await bench.until('bad', 'fails', phase('Failed'));
    assert.deepEqual([terminated(bad)?.exitCode, terminated(bad)?.reason], [3, 'Error']);
    await bench.until('bad', 'is let go', (pod) => pod?.metadata.finalizers === undefined);
    await untilClean(bench, t.signal);
  });

  it('gets its environment as it is, from literals, Secrets and ConfigMaps, and waits for a Secret that comes later', async (t) => {
    const bench = await createKubeletBench(t);
    const env = [
      { name: 'PLAIN', value: `it's "quoted" $HOME\nand goes on` },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'late', key: 'k' } } },
      { name: 'SHAPE', valueFrom: { configMapKeyRef: { name: 'shape', key: 'colour' } } },
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    ];
    const key = { namespace: 'default' };
    await bench.client.create(
      CONFIG_MAPS,
      { metadata: { ...key, name: 'shape' }, data: { colour: 'red' } },
      { signal: t.signal },
    );
    const script = 'printf "%s|%s|%s|%s" "$PLAIN" "$SECRET" "$SHAPE" "$NODE" >"$SHARES/status/seen"; sleep 1000';
    await bench.run('env', { script, container: { env } });
    const held = await bench.until('env', 'says what it lacks', (pod) => pod?.status?.reason === 'TartCreateFailed');
    assert.equal(waiting(held)?.reason, 'CreateContainerConfigError');
    assert.match(held.status?.message ?? '', /no key k of Secret late/);
    const data = { k: Buffer.from('hidden').toString('base64') };
    await bench.client.create(SECRETS, { metadata: { ...key, name: 'late' }, data }, { signal: t.signal });
    const pod = await bench.until('env', 'runs', phase('Running'));
    const seen = join(bench.folder, 'userdata', `pod-env-${pod.metadata.uid}`, 'status', 'seen');
    await bench.untilTrue('the guest wrote', async () => {
      try {
        return readFileSync(seen, 'utf8') === `it's "quoted" $HOME\nand goes on|hidden|red|mac-1`;
      } catch {
        return false;
      }
    });
  });

  it('that is deleted is asked to end, and goes when its VM has', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('long', { script: `trap 'exit 7' TERM; ${FOREVER} & wait` });
    await bench.until('long', 'is ready', isReady);
    await bench.remove('long');
    await bench.untilTrue('the Pod is gone', async () => (await bench.pod('long')) === undefined);
    await untilClean(bench, t.signal);
  });

  it('with a command runs that in the VM, and its code is the Pod’s', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('cmd', {
      container: {
        command: ['/bin/sh', '-c'],
        args: ['echo "said $WORD"; exit 5'],
        env: [{ name: 'WORD', value: `a'b` }],
      },
    });
    const pod = await bench.until('cmd', 'fails', phase('Failed'));
    assert.equal(terminated(pod)?.exitCode, 5);
    const said = bench.log.filter(({ message }) => message === 'The guest said').map(({ fields }) => fields['line']);
    assert.deepEqual(said, [`said a'b`]);
  });

  it('that may restart is made anew after a failure, and tells how it ended before', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('again', { script: 'exit 2', spec: { restartPolicy: 'OnFailure' } });
    const pod = await bench.until(
      'again',
      'waits for its second start',
      (found) => found?.status?.containerStatuses?.[0]?.restartCount === 2,
    );
    assert.equal(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 2);
    assert.equal(waiting(pod)?.reason, 'CrashLoopBackOff');
    await bench.remove('again');
    await bench.untilTrue('the Pod is gone', async () => (await bench.pod('again')) === undefined);
    await untilClean(bench, t.signal);
  });

  it('that asks for what a VM cannot do is refused in words, with an event', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('odd', { spec: { hostNetwork: true } });
    const pod = await bench.until('odd', 'fails', phase('Failed'));
    assert.equal(pod.status?.reason, 'UnsupportedPod');
    assert.match(pod.status?.message ?? '', /no hostNetwork/);
    await bench.untilTrue('an event says so', async () =>
      (await bench.client.list(EVENTS, { signal: t.signal })).items.some(({ reason }) => reason === 'UnsupportedPod'),
    );
  });

  it('past its deadline is stopped and says so', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('slow', { script: FOREVER, spec: { activeDeadlineSeconds: 3, terminationGracePeriodSeconds: 1 } });
    const pod = await bench.until('slow', 'fails', phase('Failed'));
    assert.equal(pod.status?.reason, 'DeadlineExceeded');
    await untilClean(bench, t.signal);
  });

  it('F86: waits for a place when two VMs run, and starts as soon as one ends', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('a', { script: FOREVER });
    await bench.run('b', { script: FOREVER });
    await bench.until('a', 'runs', phase('Running'));
    await bench.until('b', 'runs', phase('Running'));
    await bench.run('c', { script: FOREVER });
    const held = await bench.until('c', 'says what it waits for', (pod) => pod?.status?.reason === 'TartCreateFailed');
    assert.match(held.status?.message ?? '', /one VM too many/);
    await bench.remove('a', 1);
    await bench.until('c', 'runs', phase('Running'));
  });

  it('keeps running when the agent dies, and its end is known although nobody saw it', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('stays', { script: FOREVER });
    const flag = join(bench.folder, 'go');
    await bench.run('ends', { script: `until [ -e ${flag} ]; do sleep 0.05; done; exit 9` });
    await bench.until('stays', 'is ready', isReady);
    await bench.until('ends', 'is ready', isReady);
    const before = await bench.vms.running(t.signal);
    await bench.stop();
    await bench.client.getRaw('/readyz', { signal: t.signal });
    writeFileSync(flag, '');
    await bench.untilTrue('one VM ended', async () => (await bench.vms.running(t.signal)).length === before.length - 1);
    bench.start();
    const ended = await bench.until('ends', 'fails', phase('Failed'));
    assert.equal(terminated(ended)?.exitCode, 9);
    const stays = await bench.until('stays', 'is ready', isReady);
    assert.equal(stays.status?.containerStatuses?.[0]?.restartCount, 0);
    assert.equal(bench.log.filter(({ fields }) => fields['what'] === 'making').length, 0);
  });

  it('F89: a VM without a Pod is ended when the agent comes back', async (t) => {
    const bench = await createKubeletBench(t);
    await bench.run('lost', { script: FOREVER });
    await bench.until('lost', 'is ready', isReady);
    await bench.stop();
    await bench.client.patch(
      PODS,
      { namespace: 'default', name: 'lost' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
      { signal: t.signal },
    );
    await bench.remove('lost', 0);
    assert.equal(await bench.pod('lost'), undefined);
    bench.start();
    await untilClean(bench, t.signal);
  });

  it('is ready when its probe says so, and is started anew when it is no longer alive', async (t) => {
    const bench = await createKubeletBench(t);
    const exec = (file: string) => ({
      exec: { command: ['/bin/sh', '-c', `test -e "$HOME/${file}"`] },
      periodSeconds: 1,
      failureThreshold: 1,
    });
    const script = 'touch "$HOME/alive"; sleep 2; touch "$HOME/ready"; sleep 2; rm "$HOME/alive"; sleep 1000';
    await bench.run('probed', {
      script,
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 1 },
      container: { readinessProbe: exec('ready'), livenessProbe: { ...exec('alive'), failureThreshold: 2 } },
    });
    const first = await bench.until('probed', 'runs', phase('Running'));
    assert.equal(isReady(first), false, 'not before its probe');
    await bench.until('probed', 'is ready', isReady);
    const pod = await bench.until(
      'probed',
      'was started anew',
      (found) => found?.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    assert.match(pod.status?.containerStatuses?.[0]?.lastState?.terminated?.message ?? '', /Liveness probe failed/);
  });

  it('has its metrics passed on at the address of the Mac, which is then the Pod’s', async (t) => {
    const bench = await createKubeletBench(t);
    const port = 20_000 + (process.pid % 20_000);
    const serve = `require('node:http').createServer((_, answer) => answer.end('up 1')).listen(${port}, process.env.GUEST_LISTEN)`;
    await bench.run('measured', {
      script: `exec "${process.execPath}" -e "${serve}"`,
      metadata: { annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(port) } },
      container: { readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } },
    });
    const pod = await bench.until('measured', 'is ready', isReady);
    assert.equal(pod.status?.podIP, HOST_IP);
    const text = await new Promise<string>((resolve, reject) => {
      get({ host: HOST_IP, port, path: '/metrics', agent: false }, (answer) => {
        answer.setEncoding('utf8');
        answer.once('data', resolve);
      }).once('error', reject);
    });
    assert.equal(text, 'up 1');
  });

  it('has its hostPort passed on, and its hook run before it is ready; a hook that fails ends it', async (t) => {
    const bench = await createKubeletBench(t);
    const hostPort = 41_000 + (process.pid % 20_000);
    const serve = `require('node:net').createServer((socket) => socket.on('error', () => 0).end('hello')).listen(8080, process.env.GUEST_LISTEN)`;
    const hook = (command: string) => ({ lifecycle: { postStart: { exec: { command: ['/bin/sh', '-c', command] } } } });
    await bench.run('open', {
      script: `exec "${process.execPath}" -e "${serve}"`,
      container: {
        ...hook('touch "$HOME/hooked"'),
        ports: [{ containerPort: 8_080, hostPort }],
        readinessProbe: { exec: { command: ['/bin/sh', '-c', 'test -e "$HOME/hooked"'] }, periodSeconds: 1 },
        startupProbe: { tcpSocket: { port: 8_080 }, periodSeconds: 1, failureThreshold: 30 },
      },
    });
    await bench.run('bad', { script: FOREVER, spec: { terminationGracePeriodSeconds: 1 }, container: hook('exit 4') });
    await bench.until('open', 'is ready', isReady);
    const heard = await new Promise<string>((resolve, reject) => {
      const socket = connect({ host: HOST_IP, port: hostPort }).once('error', reject);
      socket.once('data', (chunk) => resolve(String(chunk)));
    });
    assert.equal(heard, 'hello');
    const bad = await bench.until('bad', 'fails', phase('Failed'));
    assert.match(terminated(bad)?.message ?? '', /PostStartHook failed: .*code 4/);
  });
});
