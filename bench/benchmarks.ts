/** Every benchmark there is, in the order in which they run. */
import type { Benchmark } from './benchmark.ts';
import { commandLine } from './benchmarks/command-line.ts';
import { controlPlaneLoad } from './benchmarks/control-plane-load.ts';
import { controlPlaneMachines } from './benchmarks/control-plane-machines.ts';
import { controlPlaneOpen } from './benchmarks/control-plane-open.ts';
import { controlPlanePods } from './benchmarks/control-plane-pods.ts';
import { controlPlaneStart } from './benchmarks/control-plane-start.ts';
import { controlPlaneWatch } from './benchmarks/control-plane-watch.ts';
import { events } from './benchmarks/events.ts';
import { hosts } from './benchmarks/hosts.ts';
import { importRuntime } from './benchmarks/import-runtime.ts';
import { kernel } from './benchmarks/kernel.ts';
import { kubeletIdle } from './benchmarks/kubelet-idle.ts';
import { kubeletLogs } from './benchmarks/kubelet-logs.ts';
import { kubeletPods } from './benchmarks/kubelet-pods.ts';
import { kubeletStart } from './benchmarks/kubelet-start.ts';
import { kubeletStuck } from './benchmarks/kubelet-stuck.ts';
import { listHold } from './benchmarks/list-hold.ts';
import { providerAdoptions } from './benchmarks/provider-adoptions.ts';
import { providerMemory } from './benchmarks/provider-memory.ts';
import { providerRecovery } from './benchmarks/provider-recovery.ts';
import { queue } from './benchmarks/queue.ts';
import { realBash } from './benchmarks/real-bash.ts';
import { requests } from './benchmarks/requests.ts';
import { runnersPools } from './benchmarks/runners-pools.ts';
import { runnersTurnover } from './benchmarks/runners-turnover.ts';
import { scalewayList } from './benchmarks/scaleway-list.ts';
import { schedules } from './benchmarks/schedules.ts';
import { simCloud } from './benchmarks/sim-cloud.ts';
import { ssh } from './benchmarks/ssh.ts';
import { upMemory } from './benchmarks/up-memory.ts';
import { upMemoryLarge } from './benchmarks/up-memory-large.ts';
import { upStart } from './benchmarks/up-start.ts';

export const BENCHMARKS: readonly Benchmark[] = [
  listHold,
  requests,
  events,
  importRuntime,
  kernel,
  schedules,
  queue,
  controlPlaneStart,
  controlPlaneLoad,
  controlPlaneWatch,
  controlPlaneOpen,
  controlPlanePods,
  controlPlaneMachines,
  scalewayList,
  simCloud,
  hosts,
  ssh,
  realBash,
  providerAdoptions,
  providerMemory,
  providerRecovery,
  kubeletStart,
  kubeletPods,
  kubeletStuck,
  kubeletIdle,
  kubeletLogs,
  runnersPools,
  commandLine,
  runnersTurnover,
  upStart,
  upMemory,
  upMemoryLarge,
];
