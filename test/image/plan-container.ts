/**
 * What process of this machine a Pod of our image is: the image's entry point with the Pod's arguments, environment and volumes, in a sandbox of
 * the image's files. What differs from a real container is its network, which is this machine's: it is told which address is its own.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isKind, messageOf } from '../../src/base/errors.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { Container, Pod } from '../../src/kube/types/pod.ts';
import { fetchEnv } from '../../src/kubelet/pods/fetch-env.ts';
import { ENTRYPOINT } from '../../tools/build-image/parts.ts';
import { type ProcessPlan, planProcess } from '../cluster/cluster-api/plan-process.ts';
import { containerWords } from './container.ts';
import { writeVolumes } from './pod-volumes.ts';

export interface ContainerHouse {
  /** The Node's. */
  readonly client: KubeClient;
  /** https://<host>:<port> */
  readonly server: string;
  /** The files of the image. */
  readonly root: string;
  /** For the volumes of Pods. */
  readonly dir: string;
  /** What Pods call the image, without its tag. */
  readonly repository: string;
  readonly signal: AbortSignal;
}

/** The image knows where it was built for; everything else comes with the Pod. */
const IMAGE_ENV = { PATH: '/usr/local/bin', HOME: '/tmp' } as const;

export const planContainer = async (pod: Pod, podIp: string, house: ContainerHouse): Promise<ProcessPlan> => {
  const { client, server, root, repository, signal } = house;
  const [container] = pod.spec.containers;
  if (container === undefined || container.image?.split(':')[0] !== repository)
    return planProcess(pod, { podIp, entrypoints: {} });
  const dir = join(house.dir, pod.metadata.uid ?? '');
  mkdirSync(dir, { recursive: true });
  try {
    const env = await fetchEnv({ client, pod, container, hostIp: '127.0.0.1', signal });
    const volumes = await writeVolumes(pod, { client, dir, signal });
    const said = literally(pod, { container, env, podIp });
    const plan = planProcess(said, { podIp, entrypoints: { [container.image]: ENTRYPOINT } });
    if (plan.kind === 'refused') return plan;
    const api = new URL(server);
    const service = { KUBERNETES_SERVICE_HOST: api.hostname, KUBERNETES_SERVICE_PORT: api.port };
    const mounts = mountsOf(container, volumes);
    const command = containerWords({
      root,
      env: { ...IMAGE_ENV, ...service, ...plan.env },
      mounts,
      command: plan.command,
    });
    return { ...plan, command, env: {} };
  } catch (error) {
    // It may still come, as with a real kubelet.
    const reason = isKind(error, 'not-found', 'denied') ? 'CreateContainerConfigError' : 'CreateContainerError';
    return { kind: 'refused', why: { reason, message: messageOf(error) } };
  }
};

interface Resolved {
  readonly container: Container;
  readonly env: ReadonlyMap<string, string>;
  readonly podIp: string;
}

/** The Pod with nothing left to be looked up. */
const literally = (pod: Pod, { container, env, podIp }: Resolved): Pod => {
  const args = (container.args ?? []).map((word) =>
    word.replace(/\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g, (whole, name: string) => env.get(name) ?? whole),
  );
  const portOf = (port: number | string): number =>
    typeof port === 'number' ? port : (container.ports?.find(({ name }) => name === port)?.containerPort ?? 0);
  const { readinessProbe: probe, envFrom: _envFrom, ...rest } = container;
  const httpGet = probe?.httpGet && { ...probe.httpGet, port: portOf(probe.httpGet.port) };
  const changed: Container = {
    ...rest,
    args: [...args, ...addressWords(args, { podIp, portOf })],
    env: [...env].map(([name, value]) => ({ name, value })),
    ...(probe && { readinessProbe: { ...probe, ...(httpGet && { httpGet }) } }),
  };
  return { ...pod, spec: { ...pod.spec, containers: [changed] } };
};

/** Controllers listen on every address of their Pod; here all Pods have the addresses of this machine. */
const addressWords = (
  [program = '']: readonly string[],
  { podIp, portOf }: { readonly podIp: string; readonly portOf: (name: string) => number },
): readonly string[] =>
  ['manager', 'runners'].includes(program)
    ? [
        '--metrics-bind-address',
        `${podIp}:${portOf('metrics')}`,
        '--health-probe-bind-address',
        `${podIp}:${portOf('probes')}`,
      ]
    : [];

const mountsOf = ({ volumeMounts = [] }: Container, volumes: ReadonlyMap<string, string>) =>
  volumeMounts.map((mount) => {
    const from = volumes.get(mount.name);
    if (from === undefined) throw new Error(`the Pod has no volume ${mount.name}`);
    const isRead = 'readOnly' in mount && mount.readOnly === true;
    if (!isRead) chmodSync(from, 0o777);
    return { from, at: mount.mountPath, may: isRead ? ('read' as const) : ('write' as const) };
  });
