/** What process a Pod is, decided from its spec: pure. What we cannot give a Pod is refused, not left out. */
import type { Pod } from '../../../src/kube/types/pod.ts';
import type { Waiting } from '../../../src/sim/node/pod-moment.ts';

export interface HttpProbe {
  readonly path: string;
  readonly port: number;
  readonly periodMs: number;
  readonly failureThreshold: number;
}

export type ProcessPlan =
  | {
      readonly kind: 'run';
      readonly command: readonly [string, ...string[]];
      readonly env: Readonly<Record<string, string>>;
      readonly probe?: HttpProbe;
    }
  | { readonly kind: 'refused'; readonly why: Waiting };

export interface Surroundings {
  readonly podIp: string;
  /** What an image runs when its container names no command. */
  readonly entrypoints: Readonly<Record<string, readonly string[]>>;
}

type Container = Pod['spec']['containers'][number];

export const planProcess = (pod: Pod, surroundings: Surroundings): ProcessPlan => {
  const [container, ...others] = pod.spec.containers;
  if (container === undefined || others.length > 0 || (pod.spec.initContainers ?? []).length > 0)
    return refused(
      'CreateContainerConfigError',
      'a Pod with one container and no init containers is a process, no other',
    );
  const entrypoint = container.command ?? surroundings.entrypoints[container.image ?? ''];
  const [program, ...args] = [...(entrypoint ?? []), ...(container.args ?? [])];
  if (entrypoint === undefined || program === undefined)
    return refused('ErrImagePull', `nothing is known to run for the image ${container.image ?? ''}`);
  const env = envOf(pod, container, surroundings);
  if ('why' in env) return { kind: 'refused', why: env.why };
  const probe = probeOf(container);
  if (probe !== undefined && 'why' in probe) return { kind: 'refused', why: probe.why };
  return { kind: 'run', command: [program, ...args], env: env.values, ...(probe === undefined ? {} : { probe }) };
};

const refused = (reason: string, message: string): { readonly kind: 'refused'; readonly why: Waiting } => ({
  kind: 'refused',
  why: { reason, message },
});

const FIELDS: Readonly<Record<string, (pod: Pod, surroundings: Surroundings) => string | undefined>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace,
  'metadata.uid': ({ metadata }) => metadata.uid,
  'spec.nodeName': ({ spec }) => spec.nodeName,
  'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName,
  'status.podIP': (_pod, { podIp }) => podIp,
};

const envOf = (
  pod: Pod,
  { env = [], envFrom = [] }: Container,
  surroundings: Surroundings,
): { readonly values: Readonly<Record<string, string>> } | { readonly why: Waiting } => {
  const values: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const path = valueFrom?.fieldRef?.fieldPath ?? '';
    const found = valueFrom === undefined ? (value ?? '') : FIELDS[path]?.(pod, surroundings);
    if (found === undefined) return refused('CreateContainerConfigError', `no value is known for the variable ${name}`);
    values[name] = found;
  }
  if (envFrom.length > 0) return refused('CreateContainerConfigError', 'envFrom is not given to local processes');
  return { values };
};

const PERIOD_SECONDS = 10;
const FAILURE_THRESHOLD = 3;

const probeOf = ({ readinessProbe }: Container): HttpProbe | { readonly why: Waiting } | undefined => {
  if (readinessProbe === undefined) return undefined;
  const { httpGet, periodSeconds = PERIOD_SECONDS, failureThreshold = FAILURE_THRESHOLD } = readinessProbe;
  if (typeof httpGet?.port !== 'number')
    return refused('CreateContainerConfigError', 'a local process is probed by httpGet on a numbered port');
  return { path: httpGet.path ?? '/', port: httpGet.port, periodMs: periodSeconds * 1_000, failureThreshold };
};
