import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted, withDeadline } from '../../base/abort.ts';
import { sleep } from '../../base/clock.ts';
import { FleetError, isKind } from '../../base/errors.ts';
import { createKernel, type Kernel } from './kernel.ts';
import type { CallFault } from './network.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 3_600_000 };

const kernelWith = (fault: CallFault | undefined): Kernel =>
  createKernel({
    seed: 1,
    network: {
      default: { minLatencyMs: 10, maxLatencyMs: 10, lateMs: 5_000, landing: 1, faults: fault ? { [fault]: 1 } : {} },
    },
  });

interface Row {
  readonly fault: CallFault | undefined;
  /** At which times the effect happens. */
  readonly effectsAtMs: readonly number[];
  /** What a caller without a deadline sees, and when. */
  readonly patient: string;
  /** What a caller with a deadline of one second sees, and when. */
  readonly hasty: string;
}

const rows: readonly Row[] = [
  { fault: undefined, effectsAtMs: [10], patient: 'answered at 20', hasty: 'answered at 20' },
  { fault: 'fail-before', effectsAtMs: [], patient: 'unavailable at 10', hasty: 'unavailable at 10' },
  { fault: 'fail-after', effectsAtMs: [10], patient: 'unavailable at 20', hasty: 'unavailable at 20' },
  { fault: 'late-effect', effectsAtMs: [5_010], patient: 'answered at 5020', hasty: 'unavailable at 1000' },
  { fault: 'late-answer', effectsAtMs: [10], patient: 'answered at 5020', hasty: 'unavailable at 1000' },
  { fault: 'duplicate', effectsAtMs: [10, 20], patient: 'answered at 20', hasty: 'answered at 20' },
];

for (const { fault, effectsAtMs, patient, hasty } of rows) {
  for (const [patience, expected] of [
    ['patient', patient],
    ['hasty', hasty],
  ] as const) {
    test(`${fault ?? 'no fault'}: a ${patience} caller is ${expected} ms, effects at ${effectsAtMs.join(' and ') || 'no time'}`, async () => {
      const kernel = kernelWith(fault);
      const actor = kernel.actor('client');
      const effects: number[] = [];
      const effect = (): number => effects.push(kernel.nowMs());
      let seen = 'nothing';
      const call = (signal: AbortSignal): Promise<number> => actor.call({ site: 'x', effect, signal });
      const deadline = { clock: actor.clock, timeoutMs: 1_000, signal: neverAborted(), doing: 'calling' };
      actor.task('call', async () => {
        const answer = patience === 'patient' ? call(neverAborted()) : withDeadline(deadline, call);
        const what = await answer.then(
          () => 'answered',
          (error: unknown) => (error instanceof FleetError ? error.kind : String(error)),
        );
        seen = `${what} at ${kernel.nowMs()}`;
      });
      await kernel.run(BOUNDS);
      assert.equal(seen, expected);
      assert.deepEqual(effects, effectsAtMs);
    });
  }
}

test('an error that the other side answers reaches the caller as it is', async () => {
  const kernel = kernelWith(undefined);
  const actor = kernel.actor('client');
  let seen: unknown;
  const refusal = new FleetError('conflict', { code: 'Taken', message: 'somebody was first' });
  actor.task('call', async () => {
    seen = await actor
      .call({
        site: 'x',
        effect: () => {
          throw refusal;
        },
      })
      .catch((error: unknown) => error);
  });
  await kernel.run(BOUNDS);
  assert.equal(seen, refusal);
});

test('a defect of the simulator fails the run, even when the caller catches it', async () => {
  for (const fault of [undefined, 'duplicate'] as const) {
    const kernel = kernelWith(fault);
    const actor = kernel.actor('client');
    let calls = 0;
    const effect = (): void => {
      calls += 1;
      if (fault === undefined || calls === 2) throw new TypeError('undefined is not a server');
    };
    actor.daemon('call', () => actor.call({ site: 'x', effect }).catch(() => undefined));
    await assert.rejects(kernel.run(BOUNDS), /undefined is not a server/);
  }
});

test('a call with an aborted signal does not start; one aborted under way rejects at once', async () => {
  const kernel = kernelWith(undefined);
  const actor = kernel.actor('client');
  const seen: string[] = [];
  const discarded: string[] = [];
  actor.task('call', async () => {
    const note = (error: unknown): void => {
      seen.push(`${isKind(error, 'cancelled') ? 'cancelled' : error} at ${kernel.nowMs()}`);
    };
    await actor.call({ site: 'x', effect: () => assert.fail('started'), signal: AbortSignal.abort() }).catch(note);
    const controller = new AbortController();
    actor.clock.schedule(15, () => controller.abort());
    const discard = (value: string): void => {
      discarded.push(value);
    };
    await actor.call({ site: 'x', effect: () => 'value', signal: controller.signal, discard }).catch(note);
  });
  await kernel.run(BOUNDS);
  assert.deepEqual(seen, ['cancelled at 0', 'cancelled at 15']);
  assert.deepEqual(discarded, ['value'], 'a result that reached nobody is handed to discard');
});

test('a server that is down refuses, a paused one answers late, one killed at work resets', async () => {
  const outcomeWith = async (disturb: (kernel: Kernel) => void): Promise<string> => {
    const kernel = kernelWith(undefined);
    const server = kernel.actor('server');
    const client = kernel.actor('client');
    let seen = 'nothing';
    client.task('call', async () => {
      const answer = client.call({
        site: 'x',
        to: 'server',
        effect: async () => {
          await sleep(server.clock, 100, neverAborted());
          return 'answered';
        },
      });
      const what = await answer.catch((error: unknown) => (error instanceof FleetError ? error.message : error));
      seen = `${what} at ${kernel.nowMs()}`;
    });
    disturb(kernel);
    await kernel.run(BOUNDS);
    return seen;
  };
  assert.equal(await outcomeWith(() => undefined), 'answered at 120');
  assert.equal(await outcomeWith((kernel) => kernel.pause('server', 1_000)), 'answered at 1110');
  assert.equal(await outcomeWith((kernel) => kernel.kill('server')), 'x failed: server is down at 20');
  const killAtWork = (kernel: Kernel): void => {
    kernel.schedule(50, 'kill', () => kernel.kill('server'));
  };
  assert.equal(await outcomeWith(killAtWork), 'x failed: server went away before it answered at 60');
  const killPaused = (kernel: Kernel): void => {
    kernel.pause('server', 1_000);
    kernel.schedule(500, 'kill', () => kernel.kill('server'));
  };
  assert.equal(await outcomeWith(killPaused), 'x failed: server is down at 510');
});

test('options of a site cover what follows a colon, the longest name wins, and the rest comes from the default', async () => {
  const kernel = createKernel({
    seed: 1,
    network: {
      default: { minLatencyMs: 1, maxLatencyMs: 1 },
      sites: { kube: { maxLatencyMs: 50, minLatencyMs: 50 }, 'kube:PATCH': { faults: { 'fail-before': 1 } } },
    },
  });
  const actor = kernel.actor('client');
  const seen: Record<string, string> = {};
  for (const site of ['kube:GET', 'kube:PATCH', 'kubelet', 'scaleway']) {
    actor.task(site, async () => {
      const what = await actor.call({ site, effect: () => 'ok' }).catch(() => 'failed');
      seen[site] = `${what} at ${kernel.nowMs()}`;
    });
  }
  await kernel.run(BOUNDS);
  assert.deepEqual(seen, {
    'kube:GET': 'ok at 100',
    'kube:PATCH': 'failed at 1',
    kubelet: 'ok at 2',
    scaleway: 'ok at 2',
  });
});
