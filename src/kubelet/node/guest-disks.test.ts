import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Registry from 'prom-client/lib/registry.js';
import { silentLogger } from '../../base/logger.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { parseDiskPercent, sweepGuestDisks } from './guest-disks.ts';
import { createGuestDiskGauge, tellHostState } from './node-metrics.ts';
import { WELL } from './testing/node-samples.ts';

const HEAD = 'Filesystem 1024-blocks Used Available Capacity iused ifree %iused Mounted on';
const DF = `${HEAD}\n/dev/disk3s1s1 482797652 10485760 300000000 42% 404167 3000000000 0% /\n`;
const signal = new AbortController().signal;

describe('the disks of guests', () => {
  it('are as full as their blocks are, whatever their files (§9.2-9)', () => assert.equal(parseDiskPercent(DF), 42));

  for (const text of ['', HEAD, `${HEAD}\n`, 'garbage']) {
    it(`are not guessed from ${JSON.stringify(text.slice(0, 20))}`, () =>
      assert.throws(() => parseDiskPercent(text), /nobody understands/));
  }

  it('are told by VM, anew at every sweep, without those that do not answer and those of others', async () => {
    const registry = new Registry();
    const gauge = createGuestDiskGauge(registry);
    gauge.set({ vm: 'pod-gone' }, 10);
    const vms = {
      running: async () => ['pod-a', 'pod-silent', 'somebody-elses'],
      exec: async ({ vm }: { readonly vm: string }) => {
        if (vm === 'pod-silent') throw new Error('no agent');
        return { code: 0, stdout: DF, stderr: '' };
      },
    };
    const options = { vms, gauge, clock: createManualClock(), logger: silentLogger };
    await sweepGuestDisks({ ...options, owns: (vm) => vm.startsWith('pod-') }, signal);
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('tart_kubelet'));
    assert.deepEqual(lines, ['tart_kubelet_guest_disk_usage_percent{vm="pod-a"} 42']);
  });
});

it('what was found on the Mac is told when somebody scrapes, and not where nobody could look', async () => {
  const registry = new Registry();
  const findings = {
    ...WELL.findings,
    tart: { is: 'ill', reason: 'TartMissing', message: 'none' },
    disk: { is: 'unknown', message: 'not yet' },
  } as const;
  tellHostState(registry, { state: () => ({ ...WELL, findings, runningVms: 2 }) });
  const text = await registry.metrics();
  assert.match(text, /macfleet_kubelet_host_well\{concern="tart"\} 0/);
  assert.match(text, /macfleet_kubelet_host_well\{concern="memory"\} 1/);
  assert.doesNotMatch(text, /concern="disk"/);
  assert.match(text, /macfleet_kubelet_running_vms 2/);
});
