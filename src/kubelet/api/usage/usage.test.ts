import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { abortable } from '../../../base/abort.ts';
import { createSystemClock } from '../../../base/clock.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import type { CommandPort } from '../../host/command-port.ts';
import { createSystemCommands } from '../../host/system-commands.ts';
import { createUsageMeter, type UsageSample } from './measure-usage.ts';
import { parseCpuTime, parseDiskHolders, parseUsages, parseVmStat, sumUsage } from './process-usage.ts';
import { renderResourceMetrics, renderSummary, type UsageView } from './render-usage.ts';

describe('what processes use', () => {
  const TIMES = [
    { story: 'Linux', text: '00:01:02', is: 62 },
    { story: 'Linux, after a day', text: '1-02:03:04', is: 93_784 },
    { story: 'macOS', text: '0:01.50', is: 1.5 },
    { story: 'macOS, after hours', text: '123:45.67', is: 7_425.67 },
    { story: 'no time', text: '-', is: undefined },
  ];
  for (const { story, text, is } of TIMES) {
    it(`is read from ps: ${story}`, () => assert.equal(parseCpuTime(text), is));
  }

  it('is summed over a process and all that it started, and nothing else', () => {
    const table =
      '  1     0  100 00:00:09\n 10     1  200 00:00:01\n 11    10  300 00:00:02\n 12    11  400 00:00:03\n 13 1 500 0:01.00\nbroken\n';
    assert.deepEqual(sumUsage(parseUsages(table), [10]), { cpuSeconds: 6, memoryBytes: 900 * 1_024 });
  });

  it('counts the service that holds the disk of a VM, and no VM of a similar name', () => {
    const text = 'p77\nn/Users/m1/.tart/vms/a/disk.img\nn/dev/null\np78\nn/Users/m1/.tart/vms/a-2/disk.img\n';
    assert.deepEqual(
      [...parseDiskHolders(text)],
      [
        ['a', [77]],
        ['a-2', [78]],
      ],
    );
  });

  it('is read from vm_stat as what is active, wired or compressed', () => {
    const text = [
      'Mach Virtual Memory Statistics: (page size of 16384 bytes)',
      'Pages free:                               10.',
      'Pages active:                             20.',
      'Pages inactive:                           30.',
      'Pages wired down:                         40.',
      'Pages occupied by compressor:              5.',
    ].join('\n');
    assert.equal(parseVmStat(text), 65 * 16_384);
    assert.equal(parseVmStat('garbage'), undefined);
  });
});

const POD: Pod = {
  metadata: { name: 'job', namespace: 'ci', uid: 'u-1' },
  spec: { containers: [{ name: 'main' }] },
  status: { startTime: '2026-11-16T10:00:00Z' },
};
const sampleAt = (atMs: number, cpuSeconds: number): UsageSample => ({
  atMs,
  node: { cpuSeconds: 100 + cpuSeconds, memoryBytes: 5_000, memoryTotalBytes: 16_000 },
  disk: { totalBytes: 1_000, freeBytes: 400 },
  vms: new Map([['vm-job', { cpuSeconds, memoryBytes: 2_048 }]]),
});
const NOW_MS = Date.parse('2026-11-16T10:01:00Z');
const VIEW: UsageView = {
  ...{ nodeName: 'mac-1', startedAtMs: 0, sample: sampleAt(NOW_MS, 20), before: sampleAt(NOW_MS - 10_000, 5) },
  pods: [POD, { ...POD, metadata: { name: 'other', namespace: 'ci' } }],
  vmOf: ({ metadata }) => `vm-${metadata.name}`,
};

describe('what is told of it', () => {
  it('has the names that metrics-server knows, and only Pods that run', () => {
    const lines = renderResourceMetrics(VIEW)
      .split('\n')
      .filter((line) => !line.startsWith('#') && line !== '');
    assert.deepEqual(lines, [
      `container_cpu_usage_seconds_total{container="main",namespace="ci",pod="job"} 20 ${NOW_MS}`,
      `container_memory_working_set_bytes{container="main",namespace="ci",pod="job"} 2048 ${NOW_MS}`,
      `container_start_time_seconds{container="main",namespace="ci",pod="job"} 1794823200 ${NOW_MS}`,
      `node_cpu_usage_seconds_total 120 ${NOW_MS}`,
      `node_memory_working_set_bytes 5000 ${NOW_MS}`,
      `pod_cpu_usage_seconds_total{namespace="ci",pod="job"} 20 ${NOW_MS}`,
      `pod_memory_working_set_bytes{namespace="ci",pod="job"} 2048 ${NOW_MS}`,
      'resource_scrape_error 0',
    ]);
  });

  it('tells in the summary how fast, once it was looked at twice', () => {
    const { pods } = JSON.parse(JSON.stringify(renderSummary(VIEW)));
    assert.equal(pods.length, 1);
    assert.deepEqual(pods[0].podRef, { name: 'job', namespace: 'ci', uid: 'u-1' });
    assert.equal(pods[0].cpu.usageNanoCores, 1_500_000_000);
    const first = JSON.parse(JSON.stringify(renderSummary({ ...VIEW, before: undefined })));
    assert.equal(first.pods[0].cpu.usageNanoCores, undefined);
    assert.equal(first.node.fs.usedBytes, 600);
  });
});

it('what is used is measured on this very machine, at most once in a few seconds', async () => {
  const clock = createManualClock();
  const asked: string[] = [];
  const system = createSystemCommands({ clock: createSystemClock(), env: process.env });
  const run: CommandPort['run'] = (command) => {
    asked.push(command.argv[0]);
    return system.run(command);
  };
  const vm = { pid: process.pid, startedAtMs: 0, command: 'tart run pod-a --no-graphics' };
  const meter = createUsageMeter({
    ...{ clock, platform: 'other', commands: { run, processes: async () => [vm] } },
    system: () => ({ cpuSeconds: 1, memoryTotalBytes: 10, memoryFreeBytes: 4 }),
    measureDisk: async () => ({ totalBytes: 2, freeBytes: 1 }),
  });
  const signal = new AbortController().signal;
  const first = await meter.read(signal);
  assert.ok((first.vms.get('pod-a')?.memoryBytes ?? 0) > 10_000_000, 'this process has memory');
  assert.equal(first.node.memoryBytes, 6);
  assert.equal(await meter.read(signal), first);
  clock.advance(5_000);
  assert.notEqual(await meter.read(signal), first);
  assert.equal(meter.before(), first);
  assert.deepEqual(asked, ['ps', 'ps']);
});

it('a scraper that hangs up takes nothing from the others who wait for the same sample', async () => {
  const listed = Promise.withResolvers<void>();
  const meter = createUsageMeter({
    ...{ clock: createManualClock(), platform: 'other' },
    commands: {
      run: ({ signal }) => abortable(listed.promise, signal).then(() => ({ code: 0, stdout: '', stderr: '' })),
      processes: async () => [],
    },
    system: () => ({ cpuSeconds: 1, memoryTotalBytes: 10, memoryFreeBytes: 4 }),
    measureDisk: async () => ({ totalBytes: 2, freeBytes: 1 }),
  });
  const hasty = new AbortController();
  const [first, second] = [meter.read(hasty.signal), meter.read(new AbortController().signal)];
  const ended = assert.rejects(first, /cancelled|abort/i);
  hasty.abort();
  await ended;
  listed.resolve();
  assert.equal((await second).node.memoryBytes, 6);
});
