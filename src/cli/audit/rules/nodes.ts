/** Nodes that Cluster API can never bind to their Machines (seed 004, W-08). */
import { isMac, serverIdOf } from '../../fleet/on-macs.ts';
import type { AuditRule } from '../finding.ts';

export const nodeWithoutProviderId: AuditRule = {
  code: 'NodeWithoutProviderID',
  about: 'a Node that is a Mac and has no spec.providerID',
  why: 'Its Machine is never bound, its MachineDeployment never available, and `helm --wait` rolls good releases back.',
  needs: ['nodes'],
  judge: ({ nodes }) =>
    nodes
      .filter((node) => isMac(node) && (node.spec?.providerID ?? '') === '')
      .map(({ metadata: { name } }) => ({
        severity: 'page',
        subject: `node/${name}`,
        what: 'it has no providerID, so that no Machine can be bound to it',
        wayOut: [
          'Let the agent register anew, with one that is started with --provider-id (any of Macfleet; of the original since 2026-05-29):',
          `kubectl delete node ${name}`,
        ],
      })),
};

export const nodeOfAnotherMac: AuditRule = {
  code: 'NodeOfAnotherMac',
  about: 'a Node whose providerID names another Mac than its machine has',
  why: 'The machine got another Mac, and the Node of the first one stayed: a providerID never changes, so neither is bound.',
  needs: ['nodes', 'machines'],
  judge: ({ nodes, machines }) => {
    const serverOf = new Map(machines.map(({ metadata, status }) => [metadata.name, status?.serverID ?? '']));
    return nodes.flatMap(({ metadata: { name }, spec }) => {
      const [is, wanted] = [serverIdOf(spec?.providerID), serverOf.get(name) ?? ''];
      if (is === undefined || wanted === '' || is === wanted) return [];
      return [
        {
          severity: 'ticket' as const,
          subject: `node/${name}`,
          what: `it is the Mac ${is}, while its machine has ${wanted}`,
          wayOut: [`Delete it; the agent on the right Mac registers again: kubectl delete node ${name}`],
        },
      ];
    });
  },
};
