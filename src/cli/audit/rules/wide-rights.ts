/** Rights that reach further than the work needs (W-25, W-26): of Macs, and of the manager. */
import { INFRASTRUCTURE } from '../../../kinds/infrastructure.ts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '../../../kube/types/rbac.ts';
import { MACHINES } from '../../fleet/resources.ts';
import { type AuditedFleet, type AuditRule, groupBy, renderSome } from '../finding.ts';

const READS = ['get', 'list', 'watch'];

const covers = (list: readonly string[] | undefined, ...wanted: readonly string[]): boolean =>
  list?.some((item) => item === '*' || wanted.includes(item)) === true;

/** On every object, not on named ones. */
const isOpen = ({ resourceNames }: PolicyRule): boolean => (resourceNames ?? []).length === 0;

const isOnCore = ({ apiGroups }: PolicyRule): boolean => covers(apiGroups, '');

const READS_SECRETS = 'read every Secret of the cluster';

const EXCESSES: readonly { readonly what: string; readonly isIn: (rule: PolicyRule) => boolean }[] = [
  {
    what: READS_SECRETS,
    isIn: (rule) => isOnCore(rule) && isOpen(rule) && covers(rule.resources, 'secrets') && covers(rule.verbs, ...READS),
  },
  {
    what: 'make tokens of any ServiceAccount',
    isIn: (rule) =>
      isOnCore(rule) && isOpen(rule) && covers(rule.resources, 'serviceaccounts/token') && covers(rule.verbs, 'create'),
  },
  {
    what: 'change any Node',
    isIn: (rule) =>
      isOnCore(rule) && isOpen(rule) && covers(rule.resources, 'nodes') && covers(rule.verbs, 'update', 'patch'),
  },
];

const excessesOf = ({ rules }: ClusterRole): readonly string[] =>
  EXCESSES.filter(({ isIn }) => rules?.some(isIn)).map(({ what }) => what);

/** Cluster API core's role is put together from those of providers, and its reach is core's own business. */
const isManagersRole = ({ rules, aggregationRule }: ClusterRole): boolean =>
  aggregationRule === undefined &&
  rules?.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups?.includes(INFRASTRUCTURE.group) === true &&
      resources?.includes(MACHINES.plural) === true &&
      covers(verbs, 'update', 'patch'),
  ) === true;

const AGENT = /^tart-kubelet-/;

type Subject = NonNullable<ClusterRoleBinding['subjects']>[number];

const isMacs = ({ kind, name }: Subject): boolean =>
  (kind === 'ServiceAccount' && AGENT.test(name)) ||
  (kind === 'Group' && (name === 'system:nodes' || name.startsWith('system:bootstrappers')));

/** Who has the role everywhere, as `whose` says. */
const subjectsOf = (
  { clusterRoleBindings }: AuditedFleet,
  role: ClusterRole,
  isWanted: (subject: Subject) => boolean,
): readonly string[] =>
  (groupBy(clusterRoleBindings, ({ roleRef }) => roleRef.name).get(role.metadata.name) ?? [])
    .flatMap(({ subjects }) => subjects ?? [])
    .filter(isWanted)
    .map(({ kind, name }) => `${kind} ${name}`);

const isBuiltIn = ({ metadata }: ClusterRole): boolean => metadata.name.startsWith('system:');

export const macsMayTooMuch: AuditRule = {
  code: 'MacsMayTooMuch',
  about: 'Macs whose credentials reach beyond their own Node and Pods',
  why: 'Whoever gets into one Mac, a job that broke out of its VM for example, has what the credentials give: the cluster.',
  needs: ['clusterRoles', 'clusterRoleBindings'],
  judge: (fleet) =>
    fleet.clusterRoles.flatMap((role) => {
      const excesses = isBuiltIn(role) ? [] : excessesOf(role);
      const subjects = excesses.length === 0 ? [] : subjectsOf(fleet, role, isMacs);
      if (subjects.length === 0) return [];
      return [
        {
          severity: 'ticket' as const,
          subject: `clusterrole/${role.metadata.name}`,
          what: `it lets Macs (${renderSome(subjects)}) ${excesses.join(', ')}`,
          wayOut: [
            'Give Macs certificates under the Node authorizer instead: a takeover does (docs/compatibility.md), and deletes these bindings.',
          ],
        },
      ];
    }),
};

export const managerReadsSecrets: AuditRule = {
  code: 'ManagerReadsSecrets',
  about: 'a manager of Macs that may read every Secret of the cluster',
  why: 'It needs the keys of its fleets alone, in one namespace; with this, a hole in it opens every other secret too.',
  needs: ['clusterRoles', 'clusterRoleBindings'],
  judge: (fleet) =>
    fleet.clusterRoles.flatMap((role) => {
      const isWide = isManagersRole(role) && excessesOf(role).includes(READS_SECRETS);
      const subjects = isWide ? subjectsOf(fleet, role, () => true) : [];
      if (subjects.length === 0) return [];
      return [
        {
          severity: 'ticket' as const,
          subject: `clusterrole/${role.metadata.name}`,
          what: `it lets ${renderSome(subjects)} ${READS_SECRETS}`,
          wayOut: [
            'Use the roles of deploy/rbac: macfleet-manager everywhere, and those for Secrets bound in the namespaces that they name.',
          ],
        },
      ];
    }),
};
