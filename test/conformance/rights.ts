/** What cases about rights send and expect: people, what they were granted, reviews, and refusals. */
import { refused, role, roleBinding } from './objects.ts';

export const RBAC = 'rbac.authorization.k8s.io';
export const person = (name: string) => [{ kind: 'User', apiGroup: RBAC, name }];
export const grant = (user: string, ...rules: readonly object[]) => [
  role('granted', { rules }),
  roleBinding('granted', { roleRef: { apiGroup: RBAC, kind: 'Role', name: 'granted' }, subjects: person(user) }),
];
export const forbidden = (message: unknown) => refused({ code: 403, reason: 'Forbidden', message });
