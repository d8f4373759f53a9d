/**
 * B7: what a manager process holds at 1,000 hosts, as many machines and Nodes, and 5,000 Pods: over HTTPS against the embedded
 * control plane, which is a process of its own, with a Scaleway project over HTTP.
 */
import type { Benchmark, Sample } from '../benchmark.ts';

const MACS = 1_000;
const PODS_COUNT = 5_000;
const CALLERS = 16;
const SETTLE_MS = 20_000;

const ours = (): Promise<Sample> => measureMemory(MACS, PODS_COUNT);

const measureMemory = async (macs: number, pods: number): Promise<Sample> => {
  const { setTimeout: sleep } = await import('node:timers/promises');
  const { openLab } = await import('../provider/lab.ts');
  const { NODES, PODS, pod, readyNode } = await import('../control-plane/objects.ts');
  const { until } = await import('../control-plane/until.ts');
  const { MAC_HOSTS } = await import('../../src/kinds/mac-host.ts');
  const { MACHINES } = await import('../../src/kinds/machine.ts');
  const { collectionPath } = await import('../../src/kube/client/paths.ts');
  const lab = await openLab({ macs, wanted: 1, leaseProfile: 'normal' });
  try {
    const { requests } = lab;
    const manager = await lab.startManager();
    await until('the lease', async () => manager.leads);
    const emptyMb = manager.rssMb();
    const createAll = async (path: string, count: number, body: (at: number) => string): Promise<void> => {
      let next = 0;
      const createOn = async (): Promise<void> => {
        for (let at = next++; at < count; at = next++) await requests.send('POST', path, body(at));
      };
      await Promise.all(Array.from({ length: CALLERS }, createOn));
    };
    const machine = (at: number) => ({
      ...{ apiVersion: `${MACHINES.group}/${MACHINES.version}`, kind: MACHINES.kind },
      ...{ metadata: { name: `mac-${at}`, namespace: 'default' }, spec: { fleetName: 'macos' } },
    });
    await createAll(NODES, macs, (at) => readyNode(`node-${at}`));
    await createAll(collectionPath(MACHINES, 'default'), macs, (at) => JSON.stringify(machine(at)));
    await createAll(PODS, pods, (at) => pod(`pod-${at}`));
    await until('the hosts on record', async () => {
      const { items } = JSON.parse((await requests.send('GET', collectionPath(MAC_HOSTS))).toString());
      return items.length === macs;
    });
    // What is measured is what it holds, not what it needed for a moment.
    await sleep(SETTLE_MS);
    return { 'RSS with 1,000 hosts and 5,000 Pods, MB': manager.rssMb(), 'RSS before, MB': emptyMb };
  } finally {
    await lab.stop();
  }
};

export const providerMemory: Benchmark = {
  id: 'provider-memory',
  about: 'the manager process at 1,000 hosts, machines and Nodes, and 5,000 Pods',
  figures: [
    { name: 'RSS with 1,000 hosts and 5,000 Pods, MB', goal: { of: 'ours', is: '<=', value: 150 } },
    { name: 'RSS before, MB' },
  ],
  ours,
};
