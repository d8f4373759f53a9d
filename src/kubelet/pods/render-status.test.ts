import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import type { JournalEntry, Outcome } from './journal-entry.ts';
import { momentOf } from './render-moment.ts';
import { type PodMoment, renderStatus, type StatusFacts } from './render-status.ts';
import { type SamplePod, samplePod, UID } from './testing/pod-samples.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const FACTS: StatusFacts = { nowMs: NOW, hostIp: '10.0.0.1', restarts: 0 };
const OUTCOME: Outcome = { exitCode: 3, reason: 'Error', startedMs: NOW - 60_000, finishedMs: NOW - 5_000 };

const render = (moment: PodMoment, pod: SamplePod = {}, facts: Partial<StatusFacts> = {}) =>
  renderStatus(samplePod(pod), moment, { ...FACTS, ...facts });
const running = (more: object = {}): PodMoment => ({
  ...{ is: 'running', startedMs: NOW - 60_000, isReady: true, isStarted: true, podIp: '192.168.64.5' },
  ...more,
});
const conditionOf = (status: ReturnType<typeof render>, type: string) =>
  status.conditions?.find((condition) => condition.type === type);

describe('the status of a Pod', () => {
  it('§9.4-3 §7-18 of a VM with an address is Running and ready, with a container that names the VM', () => {
    const status = render(running());
    assert.equal(status.phase, 'Running');
    assert.equal(status.podIP, '192.168.64.5');
    assert.deepEqual(status.containerStatuses, [
      {
        ...{ name: 'main', image: 'ghcr.io/acme/macos:1', imageID: '', containerID: `tart://pod-job-${UID}` },
        ...{ ready: true, started: true, restartCount: 0 },
        state: { running: { startedAt: '2026-01-01T11:59:00Z' } },
      },
    ]);
    assert.equal(conditionOf(status, 'Ready')?.status, 'True');
  });

  it('§9.4-4 of a run that ended has its code, reason and time, and is not ready', () => {
    const status = render({ is: 'ended', outcome: OUTCOME });
    assert.equal(status.phase, 'Failed');
    const [container] = status.containerStatuses ?? [];
    assert.equal(container?.ready, false);
    assert.deepEqual(container?.state?.terminated, {
      ...{ exitCode: 3, reason: 'Error', containerID: `tart://pod-job-${UID}` },
      ...{ startedAt: '2026-01-01T11:59:00Z', finishedAt: '2026-01-01T11:59:55Z' },
    });
  });

  it('of a run that ended well is Succeeded, and of one that was ended for the Pod’s sake is not', () => {
    const well = { ...OUTCOME, exitCode: 0 };
    assert.equal(render({ is: 'ended', outcome: well }).phase, 'Succeeded');
    const overdue = render({ is: 'ended', outcome: { ...well, podReason: 'DeadlineExceeded' } });
    assert.deepEqual([overdue.phase, overdue.reason], ['Failed', 'DeadlineExceeded']);
  });

  it('§7-28 of a VM without an address is Pending, never ready, and says that it boots', () => {
    const { podIp: _none, ...booting } = running() as { podIp?: string } & Extract<PodMoment, { is: 'running' }>;
    const status = render(booting);
    assert.equal(status.phase, 'Pending');
    assert.equal(conditionOf(status, 'Ready')?.status, 'False');
    assert.match(status.containerStatuses?.[0]?.state?.waiting?.message ?? '', /no address yet/);
  });

  it('§7-28 of a VM whose command was not launched is neither Running nor ready, has its address, and says why', () => {
    const launching = { reason: 'CommandNotLaunched', message: 'nobody answers', podReason: 'CommandNotLaunched' };
    const status = render(running({ launching }));
    assert.deepEqual(
      [status.phase, status.podIP, status.reason, status.message],
      ['Pending', '192.168.64.5', 'CommandNotLaunched', 'nobody answers'],
    );
    const [container] = status.containerStatuses ?? [];
    const waiting = { reason: 'CommandNotLaunched', message: 'nobody answers' };
    assert.deepEqual([container?.state, container?.ready, container?.started], [{ waiting }, false, false]);
  });

  it('K11: does not go back from Running because an address is not known for a moment', () => {
    const { podIp: _none, ...silent } = running() as { podIp?: string } & Extract<PodMoment, { is: 'running' }>;
    assert.equal(render(silent, { status: { phase: 'Running' } }).phase, 'Running');
  });

  it('K11: keeps what others wrote', () => {
    const scheduled = { type: 'PodScheduled', status: 'True' } as const;
    const status = render(running(), { status: { phase: 'Pending', conditions: [scheduled] } });
    assert.deepEqual(conditionOf(status, 'PodScheduled'), scheduled);
  });

  it('changes the time of a condition only with its status', () => {
    const old = { type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z' } as const;
    const kept = render(running(), { status: { conditions: [old] } });
    assert.equal(conditionOf(kept, 'Ready')?.lastTransitionTime, old.lastTransitionTime);
    const changed = render(running({ isReady: false }), { status: { conditions: [old] } });
    assert.equal(conditionOf(changed, 'Ready')?.lastTransitionTime, '2026-01-01T12:00:00Z');
  });

  it('is the same twice: nothing is written when nothing changed', () => {
    const once = render(running());
    assert.deepEqual(render(running(), { status: once }, { nowMs: NOW + 60_000 }), once);
  });

  it('waits for the gates that the Pod has', () => {
    const gated = { spec: { readinessGates: [{ conditionType: 'a.b/c' }] } };
    assert.equal(conditionOf(render(running(), gated), 'Ready')?.reason, 'ReadinessGatesNotReady');
    const open = { ...gated, status: { conditions: [{ type: 'a.b/c', status: 'True' } as const] } };
    assert.equal(conditionOf(render(running(), open), 'Ready')?.status, 'True');
  });

  it('forgets a trouble that is over', () => {
    const status = render(running(), { status: { phase: 'Pending', reason: 'TartCreateFailed', message: 'no' } });
    assert.deepEqual([status.reason, status.message], [undefined, undefined]);
  });

  it('tells how the run before this one ended', () => {
    const status = render(running(), {}, { restarts: 2, previous: OUTCOME });
    assert.equal(status.containerStatuses?.[0]?.restartCount, 2);
    assert.equal(status.containerStatuses?.[0]?.lastState?.terminated?.exitCode, 3);
  });
});

describe('where a Pod is', () => {
  const memory = { uid: UID, key: 'ns/job', isReady: false, isStarted: false };
  const entry: JournalEntry = {
    uid: UID,
    namespace: 'ns',
    name: 'job',
    vm: 'v',
    image: 'i',
    stage: 'making',
    restarts: 0,
  };
  const stumble = (code: string) => ({
    ...memory,
    stumble: {
      work: 'making' as const,
      error: new FleetError('not-found', { code, message: 'no such image', hint: 'Push it' }),
      retry: { attempts: 1, notBeforeMs: 0 },
    },
  });

  it('§7-5 a VM that cannot be made is told with its cause and what to do', () => {
    const moment = momentOf(undefined, stumble('ImageNotFound'));
    const status = render(moment);
    assert.deepEqual(
      [status.phase, status.reason, status.message],
      ['Pending', 'TartCreateFailed', 'no such image. Push it'],
    );
    assert.equal(status.containerStatuses?.[0]?.state?.waiting?.reason, 'ErrImagePull');
  });

  it('a Secret that is missing is a mistake of the configuration, in the words of Kubernetes', () =>
    assert.equal(
      render(momentOf(undefined, stumble('EnvSourceMissing'))).containerStatuses?.[0]?.state?.waiting?.reason,
      'CreateContainerConfigError',
    ));

  it('between two runs it waits to be started again', () =>
    assert.deepEqual(momentOf({ ...entry, previous: OUTCOME }, memory), {
      is: 'waiting',
      waiting: { reason: 'CrashLoopBackOff', message: 'the VM ended with code 3 and is made anew' },
    }));

  it('an outcome that is written down counts more than a process that seems to live', () => {
    const run = { vm: 'v', pid: 1, startedAtMs: 0, exited: new Promise<never>(() => undefined) };
    assert.equal(momentOf({ ...entry, stage: 'ended', outcome: OUTCOME }, { ...memory, run }).is, 'ended');
  });
});
