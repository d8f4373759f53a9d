/** One Mac that two machines, or two Nodes, believe to be theirs (I-05, seed 001). */
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import { serverIdOf } from '../../fleet/on-macs.ts';
import { type AuditRule, groupBy } from '../finding.ts';

export const duplicateClaim: AuditRule = {
  code: 'DuplicateClaim',
  about: 'several machines name one Mac',
  why: 'Deleting any of them may wipe the Mac under the others, and only one of them can ever become a Node.',
  needs: ['machines'],
  judge: ({ machines }) => {
    const alive = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const byServer = groupBy(alive, ({ spec, status }) => status?.serverID || serverIdOf(spec.providerID));
    return [...byServer]
      .filter(([, claims]) => claims.length > 1)
      .map(([id, claims]) => {
        const names = claims.map((machine) => renderKey(keyOf(machine)));
        const [{ metadata } = { metadata: { name: '', namespace: '' } }] = claims.slice(1);
        return {
          severity: 'page',
          subject: `server/${id}`,
          what: `${names.join(' and ')} name the same Mac`,
          wayOut: [
            'See whose Node it is: kubectl get nodes -o custom-columns=NAME:.metadata.name,MAC:.spec.providerID',
            `Take each of the others off it, without a wipe: macfleet detach ${metadata.name} -n ${metadata.namespace}`,
          ],
        };
      });
  },
};

export const duplicateNode: AuditRule = {
  code: 'DuplicateNode',
  about: 'several Nodes say that they are the same Mac',
  why: 'Cluster API binds a Machine to whichever it finds first; work is scheduled to a Node that is not there.',
  needs: ['nodes'],
  judge: ({ nodes }) =>
    [...groupBy(nodes, ({ spec }) => serverIdOf(spec?.providerID))]
      .filter(([, same]) => same.length > 1)
      .map(([id, same]) => ({
        severity: 'ticket',
        subject: `server/${id}`,
        what: `the Nodes ${same.map(({ metadata }) => metadata.name).join(' and ')} have the same providerID`,
        wayOut: [
          'Delete the one that is not Ready; the agent that works registers again by itself: kubectl delete node <name>',
        ],
      })),
};
