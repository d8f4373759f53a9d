/** tart-kubelet in this process on a Mac of real processes, with an embedded control plane: all of it goes with the test. */
import type { TestContext } from 'node:test';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { createLoggerTo, type LogFields } from '../../src/base/logger.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import { ADMIN, nodeUser, type User } from '../../src/controlplane/auth/user.ts';
import { createControlPlane } from '../../src/controlplane/control-plane.ts';
import { createFairTransport } from '../../src/controlplane/fair-transport.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { createKubeClient } from '../../src/kube/client/create-client.ts';
import { PODS, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import type { Container, Pod, PodSpec } from '../../src/kube/types/pod.ts';
import { createProcessMac, NODE, type ProcessMac } from './process-mac.ts';

export interface WantedPod {
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  /** What the guest runs, in bash. */
  readonly script?: string;
  readonly metadata?: Partial<Pod['metadata']>;
}

interface Line {
  readonly message: string;
  readonly fields: LogFields;
}

export interface KubeletBench extends Pick<ProcessMac, 'vms' | 'folder' | 'configure'>, Agent {
  readonly client: KubeClient;
  readonly log: readonly Line[];
  run(name: string, pod: WantedPod): Promise<Pod>;
  pod(name: string): Promise<Pod | undefined>;
  remove(name: string, graceSeconds?: number): Promise<void>;
  /** Waits until the Pod is as said, with a deadline. */
  until(name: string, what: string, holds: (pod: Pod | undefined) => boolean): Promise<Pod>;
  untilTrue(what: string, holds: () => Promise<boolean>): Promise<void>;
}

interface Agent {
  start(): void;
  /** Ends this life of the agent. VMs stay. */
  stop(): Promise<void>;
}

const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 20;

export const createKubeletBench = async (t: TestContext): Promise<KubeletBench> => {
  const clock = createSystemClock();
  const random = createSystemRandom();
  const log: Line[] = [];
  const logger = createLoggerTo((level, message, fields) => void (level !== 'debug' && log.push({ message, fields })));
  const mac = createProcessMac(logger);
  const plane = createControlPlane({ clock, random, logger });
  const clientFor = (user: User): KubeClient =>
    createKubeClient({ transport: createFairTransport(plane.transportFor(user)), clock, random, logger });
  const agent = createAgent(mac, clientFor(nodeUser(NODE)));
  t.after(async () => {
    await agent.stop();
    await mac.scrap();
    plane.close();
  });
  agent.start();
  const client = clientFor(ADMIN);
  const account = { metadata: { name: 'default', namespace: 'default' } };
  await client.create(SERVICE_ACCOUNTS, account, { signal: t.signal });
  const untilTrue: KubeletBench['untilTrue'] = async (what, holds) => {
    const deadlineMs = clock.elapsed() + DEADLINE_MS;
    while (!(await holds())) {
      const lines = log.slice(-15).map((line) => JSON.stringify(line));
      if (clock.elapsed() > deadlineMs) throw new Error([`never: ${what}`, ...lines].join('\n'));
      await sleep(clock, LOOK_EVERY_MS, t.signal);
    }
  };
  const { vms, folder, configure } = mac;
  return { ...agent, vms, folder, configure, client, log, untilTrue, ...podsOf(client, untilTrue, t.signal) };
};

const createAgent = (mac: ProcessMac, client: KubeClient): Agent => {
  let life: { readonly end: AbortController; readonly over: Promise<void> } | undefined;
  return {
    start: () => {
      const end = new AbortController();
      life = { end, over: mac.createAgent(client, end.signal).run(end.signal) };
    },
    stop: async () => {
      life?.end.abort();
      await life?.over;
      life = undefined;
    },
  };
};

const podsOf = (
  client: KubeClient,
  untilTrue: KubeletBench['untilTrue'],
  signal: AbortSignal,
): Pick<KubeletBench, 'run' | 'pod' | 'remove' | 'until'> => {
  const read = async (wanted: string): Promise<Pod | undefined> =>
    (await client.list(PODS, { namespace: 'default', signal })).items.find(({ metadata }) => metadata.name === wanted);
  return {
    pod: read,
    run: (name, wanted) => client.create(PODS, renderPod(name, wanted), { signal }),
    remove: (name, gracePeriodSeconds) =>
      client.delete(
        PODS,
        { namespace: 'default', name },
        { signal, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) },
      ),
    until: async (name, what, holds) => {
      let found: Pod | undefined;
      const look = async (): Promise<boolean> => {
        found = await read(name);
        return holds(found);
      };
      await untilTrue(`${name} ${what}`, look).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${JSON.stringify(found?.status)}`);
      });
      return found ?? renderPod(name, {});
    },
  };
};

const renderPod = (name: string, { container, spec, script, metadata }: WantedPod): Pod => ({
  metadata: { name, namespace: 'default', ...metadata },
  spec: {
    ...{ nodeName: NODE, restartPolicy: 'Never' },
    ...spec,
    containers: [
      {
        ...{ name: 'main', image: 'ghcr.io/acme/macos:1', ...container },
        env: [
          ...(container?.env ?? []),
          ...(script === undefined ? [] : [{ name: 'SIM_GUEST_SCRIPT', value: script }]),
        ],
      },
    ],
  },
});
