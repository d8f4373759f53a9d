/** What the job dispatcher may do in a cluster, as the original's server has it, less what ours does not use. */
import { serviceAccountUser, type User } from '../controlplane/auth/user.ts';
import { role, rule } from '../kinds/role.ts';
import type { DemoObject } from './demo-fleet.ts';
import { bind, CLUSTER_ROLES } from './identities.ts';

const ACCOUNT = { namespace: 'tuist', name: 'tuist-server' } as const;
const SUBJECT = { kind: 'ServiceAccount', ...ACCOUNT };

export const DISPATCH_SERVER: User = serviceAccountUser(ACCOUNT);

const REVIEWER = role('tuist-runners-dispatch-reviewer', {}, [
  rule('authentication.k8s.io', ['tokenreviews'], ['create']),
]);
const DISPATCHER = role('tuist-runners-dispatch', {}, [
  rule('tuist.dev', ['runnerpools'], ['get']),
  rule('', ['serviceaccounts'], ['get']),
  rule('', ['pods'], ['get', 'patch']),
]);

/** `namespace` is that of the runners. */
export const renderDispatchRights = (namespace: string): readonly DemoObject[] => [
  ...[REVIEWER, DISPATCHER].map((object) => ({ resource: CLUSTER_ROLES, object })),
  bind({ role: REVIEWER.metadata.name, metadata: { name: REVIEWER.metadata.name }, subject: SUBJECT }),
  bind({ role: DISPATCHER.metadata.name, metadata: { name: DISPATCHER.metadata.name, namespace }, subject: SUBJECT }),
];
