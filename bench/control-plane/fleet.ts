/** A fleet that works, as objects alone: a Mac, its machine, its Node and a Pod on it, as often as asked for. */
import { fieldsOf } from '../../src/controlplane/store/object.ts';
import { ALL_KINDS } from '../../src/kinds/all-kinds.ts';
import { MAC_HOSTS } from '../../src/kinds/mac-host.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { toCustomResourceDefinition } from '../../src/kinds/schema/crd.ts';
import { collectionPath } from '../../src/kube/client/paths.ts';
import { NODES, readyNode } from './objects.ts';
import type { Requests } from './requests.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PODS = '/api/v1/namespaces/default/pods';
const NOW = '2026-01-01T00:00:00Z';
const READY = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: NOW };

const idOf = (at: number): string => `${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;

const host = (at: number, uid: string): object => ({
  metadata: { name: idOf(at) },
  spec: {
    source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: idOf(at) } },
    ...{ pool: { prefix: 'tuist-pool-' }, type: 'M2-L', osFamily: 'Tahoe', fleet: 'macos' },
    claimRef: { namespace: 'default', name: `mac-${at}`, uid },
  },
});

const hostStatus = (at: number): object => ({
  status: {
    ...{ state: 'joined', stateSince: NOW, conditions: [READY] },
    server: { name: `mac-${at}`, status: 'ready', address: '198.18.0.1', deletableAt: NOW, seenAt: NOW },
  },
});

const machine = (at: number): object => ({ metadata: { name: `mac-${at}` }, spec: { fleetName: 'macos' } });

const machineStatus = (at: number): object => ({
  status: { serverID: idOf(at), ready: true, phase: 'Ready', conditions: [{ ...READY, type: 'Provisioned' }] },
});

const pod = (at: number): object => ({
  metadata: { name: `pod-${at}` },
  spec: { nodeName: `mac-${at}`, containers: [{ name: 'vm', image: 'ghcr.io/x/y:1' }] },
});

export const fillFleet = async (requests: Requests, macs: number): Promise<void> => {
  for (const kind of ALL_KINDS) await requests.send('POST', CRDS, JSON.stringify(toCustomResourceDefinition(kind)));
  const [hosts, machines] = [collectionPath(MAC_HOSTS), collectionPath(MACHINES, 'default')];
  const fill = async (at: number): Promise<void> => {
    const providerID = `scw-applesilicon://fr-par-1/${idOf(at)}`;
    const made: unknown = JSON.parse(String(await requests.send('POST', machines, JSON.stringify(machine(at)))));
    const uid = String(fieldsOf(fieldsOf(made)['metadata'])['uid']);
    await requests.send('POST', hosts, JSON.stringify(host(at, uid)));
    await requests.send('PATCH', `${hosts}/${idOf(at)}/status`, JSON.stringify(hostStatus(at)));
    await requests.send('PATCH', `${machines}/mac-${at}/status`, JSON.stringify(machineStatus(at)));
    await requests.send('POST', NODES, readyNode(`mac-${at}`, { providerID }));
    await requests.send('POST', PODS, JSON.stringify(pod(at)));
  };
  await Promise.all(Array.from({ length: macs }, (_, at) => fill(at)));
};
