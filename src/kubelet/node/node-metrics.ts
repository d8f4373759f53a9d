/** What is told of the Mac itself; names that the Go original has are its own. */
import type { Registry } from 'prom-client';
import Gauge from 'prom-client/lib/gauge.js';
import type { GuestDiskGauge } from './guest-disks.ts';
import type { HostWatch } from './host-watch.ts';
import { CONCERNS } from './node-facts.ts';

export const createGuestDiskGauge = (registry: Registry): GuestDiskGauge =>
  new Gauge({
    name: 'tart_kubelet_guest_disk_usage_percent',
    help: 'How full the disk of a guest is.',
    labelNames: ['vm'],
    registers: [registry],
  });

/** Asked for when somebody scrapes. */
export const tellHostState = (registry: Registry, watch: Pick<HostWatch, 'state'>): void => {
  const registers = [registry];
  const concerns = new Gauge({
    name: 'macfleet_kubelet_host_well',
    help: 'What was found on the Mac: 1 all is well, 0 something is wrong, no figure when nobody could look.',
    labelNames: ['concern'],
    registers,
    collect: () => {
      concerns.reset();
      const { findings } = watch.state();
      for (const concern of CONCERNS) {
        const { is } = findings[concern];
        if (is !== 'unknown') concerns.set({ concern }, is === 'well' ? 1 : 0);
      }
    },
  });
  const running = new Gauge({
    name: 'macfleet_kubelet_running_vms',
    help: 'VMs that run on this Mac, whoever started them.',
    registers,
    collect: () => {
      running.set(watch.state().runningVms);
    },
  });
};
