/** What is counted about Pods; names and buckets are those that dashboards of the Go original know. */
import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Histogram from 'prom-client/lib/histogram.js';

export interface PodMetrics {
  /** From `tart run` to the first address. */
  booted(pool: string, seconds: number): void;
  /** From the Pod's creation to `tart run`. */
  provisioned(pool: string, seconds: number): void;
  /** The work of making one VM, and whether its base was here. */
  made(pool: string, path: 'warm' | 'cold', seconds: number): void;
}

const BOOT_BUCKETS = [10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 600];
const PROVISION_BUCKETS = [1, 5, 10, 20, 30, 60, 120, 180, 300, 600, 1_200, 1_800, 3_600];

export const createPodMetrics = (registry: Registry): PodMetrics => {
  const registers = [registry];
  const boot = new Histogram({
    ...{ registers, labelNames: ['pool'], buckets: BOOT_BUCKETS },
    name: 'tart_kubelet_vm_boot_duration_seconds',
    help: 'From tart run to the first address of a VM, once per VM.',
  });
  const delay = new Histogram({
    ...{ registers, labelNames: ['pool'], buckets: PROVISION_BUCKETS },
    name: 'tart_kubelet_pod_provision_delay_seconds',
    help: 'From the creation of a Pod to tart run.',
  });
  const work = new Histogram({
    ...{ registers, labelNames: ['pool', 'path'], buckets: PROVISION_BUCKETS },
    name: 'tart_kubelet_vm_provision_work_seconds',
    help: 'The making of one VM, from a base that was here (warm) or had to be pulled (cold).',
  });
  const materialized = new Counter({
    ...{ registers, labelNames: ['pool'] },
    name: 'tart_kubelet_golden_base_materialized_total',
    help: 'Bases that had to be made for a VM.',
  });
  const reused = new Counter({
    ...{ registers, labelNames: ['pool'] },
    name: 'tart_kubelet_golden_base_reused_total',
    help: 'VMs whose base was here.',
  });
  return {
    booted: (pool, seconds) => boot.observe({ pool }, seconds),
    provisioned: (pool, seconds) => delay.observe({ pool }, seconds),
    made: (pool, path, seconds) => {
      work.observe({ pool, path }, seconds);
      (path === 'cold' ? materialized : reused).inc({ pool });
    },
  };
};

export const noPodMetrics: PodMetrics = {
  booted: () => undefined,
  provisioned: () => undefined,
  made: () => undefined,
};
