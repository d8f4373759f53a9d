/** A Mac on which all is well, for tests. */
import type { NodeFacts, NodeState } from '../node-facts.ts';

export const FACTS: NodeFacts = {
  nodeName: 'mac-1',
  providerId: 'scw-applesilicon://fr-par-1/abc',
  labels: { 'tuist.dev/fleet': 'ci' },
  capacity: { cpu: 8, memoryMib: 16_384, pods: 2 },
  address: '10.0.0.7',
  servingPort: 10_250,
  system: {
    osImage: 'macOS 26.1',
    kernelVersion: '25.1.0',
    machineId: 'C07ABC',
    systemUuid: 'uuid',
    bootId: 'boot-1',
    agentVersion: 'tart-kubelet-v0',
    runtimeVersion: '2.32.1',
  },
};

const well = { is: 'well' } as const;

export const WELL: NodeState = {
  findings: { disk: well, memory: well, pids: well, guiSession: well, tart: well, autoLogin: well },
  dynamicLabels: {},
  diskTotalBytes: 494_384_795_648,
  runningVms: 0,
};
