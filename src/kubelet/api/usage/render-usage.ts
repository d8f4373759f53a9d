/** What is used, in the two forms in which Kubernetes asks for it: figures for metrics-server, and the older summary. Pure. */
import { parseTimestamp, toTimestamp } from '../../../base/clock.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import type { UsageSample } from './measure-usage.ts';
import type { Usage } from './process-usage.ts';

export interface UsageView {
  readonly nodeName: string;
  readonly startedAtMs: number;
  readonly sample: UsageSample;
  readonly before: UsageSample | undefined;
  readonly pods: readonly Pod[];
  readonly vmOf: (pod: Pod) => string;
}

interface PodUsage extends Usage {
  readonly pod: Pod;
  readonly vm: string;
}

const usagesOf = ({ pods, sample, vmOf }: UsageView): readonly PodUsage[] =>
  pods.flatMap((pod) => {
    const vm = vmOf(pod);
    const usage = sample.vms.get(vm);
    return usage === undefined ? [] : [{ pod, vm, ...usage }];
  });

interface Series {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly values: readonly (readonly [labels: string, value: number])[];
}

const labelsOf = ({ metadata, spec }: Pod, scope: 'pod' | 'container'): string => {
  const [container] = spec.containers;
  const own = `namespace="${metadata.namespace ?? ''}",pod="${metadata.name}"`;
  return scope === 'pod' ? `{${own}}` : `{container="${container?.name ?? ''}",${own}}`;
};

/** As `/metrics/resource` of a kubelet. */
export const renderResourceMetrics = (view: UsageView): string => {
  const { sample } = view;
  const usages = usagesOf(view);
  const each = (scope: 'pod' | 'container', pick: (usage: PodUsage) => number): Series['values'] =>
    usages.map((usage) => [labelsOf(usage.pod, scope), pick(usage)]);
  const cpu = ({ cpuSeconds }: Usage): number => cpuSeconds;
  const memory = ({ memoryBytes }: Usage): number => memoryBytes;
  const counter = (name: string, help: string, values: Series['values']): Series => ({
    name,
    type: 'counter',
    help,
    values,
  });
  const gauge = (name: string, help: string, values: Series['values']): Series => ({
    name,
    type: 'gauge',
    help,
    values,
  });
  const series = [
    counter('container_cpu_usage_seconds_total', 'Processor time of a container.', each('container', cpu)),
    gauge('container_memory_working_set_bytes', 'Memory that a container uses.', each('container', memory)),
    gauge('container_start_time_seconds', 'When a container started.', each('container', startedSeconds)),
    counter('node_cpu_usage_seconds_total', 'Processor time of the Node.', [['', sample.node.cpuSeconds]]),
    gauge('node_memory_working_set_bytes', 'Memory that the Node uses.', [['', sample.node.memoryBytes]]),
    counter('pod_cpu_usage_seconds_total', 'Processor time of a Pod.', each('pod', cpu)),
    gauge('pod_memory_working_set_bytes', 'Memory that a Pod uses.', each('pod', memory)),
    gauge('resource_scrape_error', '1 if there was an error while getting container metrics, 0 otherwise.', [['', 0]]),
  ];
  return series.map((one) => renderSeries(one, sample.atMs)).join('');
};

const startedSeconds = ({ pod }: PodUsage): number => (startOf(pod) ?? 0) / 1_000;

const startOf = ({ status }: Pod): number | undefined =>
  parseTimestamp(status?.containerStatuses?.[0]?.state?.running?.startedAt ?? status?.startTime);

const renderSeries = ({ name, type, help, values }: Series, atMs: number): string => {
  if (values.length === 0) return '';
  const stamp = name === 'resource_scrape_error' ? '' : ` ${atMs}`;
  const lines = values.map(([labels, value]) => `${name}${labels} ${value}${stamp}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
};

const NANO = 1_000_000_000;

/** As `/stats/summary` of a kubelet. */
export const renderSummary = (view: UsageView): unknown => {
  const { nodeName, startedAtMs, sample, before } = view;
  const { node, disk } = sample;
  const figures = (usage: Usage, earlier: Usage | undefined): object => ({
    cpu: renderCpu(
      { usage, sample },
      earlier === undefined || before === undefined ? undefined : { usage: earlier, sample: before },
    ),
    memory: {
      time: toTimestamp(sample.atMs),
      ...{ usageBytes: usage.memoryBytes, workingSetBytes: usage.memoryBytes, rssBytes: usage.memoryBytes },
    },
  });
  const fs = {
    time: toTimestamp(sample.atMs),
    ...{ availableBytes: disk.freeBytes, capacityBytes: disk.totalBytes, usedBytes: disk.totalBytes - disk.freeBytes },
  };
  return {
    node: { nodeName, startTime: toTimestamp(startedAtMs), ...figures(node, before?.node), fs },
    pods: usagesOf(view).map(({ pod, vm, ...usage }) => {
      const { name, namespace, uid } = pod.metadata;
      const own = { startTime: toTimestamp(startOf(pod) ?? startedAtMs), ...figures(usage, before?.vms.get(vm)) };
      return { podRef: { name, namespace, uid }, ...own, containers: [{ name: pod.spec.containers[0]?.name, ...own }] };
    }),
  };
};

interface Reading {
  readonly usage: Usage;
  readonly sample: UsageSample;
}

/** How fast it was used is known from the second look on. */
const renderCpu = ({ usage, sample }: Reading, earlier: Reading | undefined): object => {
  const seconds = earlier === undefined ? 0 : (sample.atMs - earlier.sample.atMs) / 1_000;
  const used = earlier === undefined ? 0 : usage.cpuSeconds - earlier.usage.cpuSeconds;
  return {
    time: toTimestamp(sample.atMs),
    usageCoreNanoSeconds: Math.round(usage.cpuSeconds * NANO),
    ...(seconds > 0 && used >= 0 && { usageNanoCores: Math.round((used / seconds) * NANO) }),
  };
};
