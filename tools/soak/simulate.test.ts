import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import type { Line } from '../simulate/job.ts';
import { type SoakPorts, soakSimulation } from './simulate.ts';
import { parseSoakRecord } from './simulation-record.ts';

const folder = mkdtempSync(join(tmpdir(), 'macfleet-soak-'));
after(() => rmSync(folder, { recursive: true }));

const REACHED = 'sometimes: gone';

const summaryOf = (schedules: number, violations: number): Line => ({
  is: 'swarm',
  cpuMs: 1_000,
  summary: {
    schedules,
    violations,
    events: 10 * schedules,
    virtualHours: 6 * schedules,
    ratePerMinute: 1,
    marks: { [REACHED]: 1 },
  },
});

interface Workers {
  /** They fail before the chunk that begins with this seed. */
  readonly failAt?: number;
  readonly violations?: number;
}

const createPorts = (name: string, commit: string, { failAt, violations = 0 }: Workers) => {
  const begun: number[] = [];
  const ports: SoakPorts = {
    code: () => ({ commit, changes: '' }),
    progressFile: join(folder, name, 'progress.json'),
    recordFile: join(folder, `${name}.json`),
    run: async (tasks, { onLine }) => {
      for (const task of tasks) {
        const { job } = task;
        if (job.do !== 'seeds') continue;
        if (job.from === failAt) throw new Error('the power is off');
        begun.push(job.from);
        onLine(summaryOf(job.count, violations), task);
      }
    },
  };
  return { ports, begun };
};

const options = { workers: 2, print: () => undefined, signal: neverAborted() };

describe('a soak of the simulation', () => {
  it('goes on where it was stopped, and counts everything once', async () => {
    const stopped = createPorts('resumed', 'a', { failAt: 301 });
    await assert.rejects(soakSimulation({ ...options, seeds: 12_000 }, stopped.ports), /the power is off/);
    const resumed = createPorts('resumed', 'a', {});
    assert.ok(await soakSimulation({ ...options, seeds: 12_000 }, resumed.ports));
    assert.deepEqual([stopped.begun, resumed.begun[0]], [[1, 101, 201], 301]);
    const { schedules, commit, events, unreached } = parseSoakRecord(readFileSync(resumed.ports.recordFile, 'utf8'));
    assert.deepEqual({ schedules, commit, events }, { schedules: 12_000, commit: 'a', events: 120_000 });
    assert.ok(!unreached.includes(REACHED), 'it was reached often enough');
    assert.ok(!existsSync(resumed.ports.progressFile));
  });

  it('begins anew when the code is another one', async () => {
    const stopped = createPorts('changed', 'a', { failAt: 201 });
    await assert.rejects(soakSimulation({ ...options, seeds: 300 }, stopped.ports));
    const changed = createPorts('changed', 'b', {});
    await soakSimulation({ ...options, seeds: 300 }, changed.ports);
    assert.equal(changed.begun[0], 1);
  });

  it('says what it should have reached, and did not', async () => {
    const said: string[] = [];
    const { ports } = createPorts('unreached', 'a', {});
    await soakSimulation({ ...options, print: (text) => said.push(text), seeds: 300 }, ports);
    assert.match(said.join(''), /fewer than one of 1,000 schedules:\n {2}sometimes: free\n/);
    assert.doesNotMatch(said.join(''), new RegExp(`^ {2}${REACHED}$`, 'm'));
  });

  it('puts nothing on record that is short, or broke a promise', async () => {
    const short = createPorts('short', 'a', {});
    assert.ok(await soakSimulation({ ...options, seeds: 300 }, short.ports));
    const broken = createPorts('broken', 'a', { violations: 1 });
    assert.ok(!(await soakSimulation({ ...options, seeds: 12_000 }, broken.ports)));
    assert.deepEqual(
      [short, broken].map(({ ports }) => existsSync(ports.recordFile)),
      [false, false],
    );
  });
});
