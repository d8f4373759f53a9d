/** Kubernetes' own approver, where it is told to let everybody with a bootstrap token in (R23). */
import type { ClusterRole } from '../../../kube/types/rbac.ts';
import { type AuditedFleet, type AuditRule, renderSome } from '../finding.ts';

/** What Kubernetes' approver asks of whoever wants to become a Node; this role of its own gives it. */
const RESOURCE = 'certificatesigningrequests/nodeclient';
const BUILT_IN = `system:certificates.k8s.io:${RESOURCE.replace('/', ':')}`;

/** Groups that whoever shows a token of a Mac is in. */
const OF_MACS = ['system:bootstrappers', 'system:bootstrappers:macfleet', 'system:authenticated'];

const letsIn = ({ rules }: ClusterRole): boolean =>
  rules?.some(
    ({ resources, verbs }) =>
      resources?.includes(RESOURCE) === true && (verbs.includes('create') || verbs.includes('*')),
  ) === true;

const rolesOf = ({ clusterRoles }: AuditedFleet): ReadonlySet<string> =>
  new Set([BUILT_IN, ...clusterRoles.filter(letsIn).map(({ metadata }) => metadata.name)]);

export const tokensApprovedUnseen: AuditRule = {
  code: 'TokensApprovedUnseen',
  about: 'a cluster that approves whoever shows a bootstrap token, before the manager can look',
  why: 'The token of a Mac is good for one certificate, under one name; approved unseen it makes any number of Nodes for a quarter of an hour, under any name.',
  needs: ['clusterRoles', 'clusterRoleBindings'],
  judge: (fleet) => {
    const roles = rolesOf(fleet);
    return fleet.clusterRoleBindings
      .filter(({ roleRef }) => roles.has(roleRef.name))
      .flatMap(({ metadata, subjects = [] }) => {
        const groups = subjects.filter(({ kind, name }) => kind === 'Group' && OF_MACS.includes(name));
        if (groups.length === 0) return [];
        return [
          {
            severity: 'ticket' as const,
            subject: `clusterrolebinding/${metadata.name}`,
            what: `it has requests of ${renderSome(groups.map(({ name }) => name))} approved by Kubernetes itself`,
            wayOut: [
              'Bind that role to the group of your other tokens alone, as kubeadm does (system:bootstrappers:kubeadm:default-node-token).',
            ],
          },
        ];
      });
  },
};
