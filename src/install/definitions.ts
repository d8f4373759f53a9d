/** What every installation has, whatever it is asked for: kinds, policies and roles. `npm run generate` writes them to deploy/. */
import { ALL_KINDS } from '../kinds/all-kinds.ts';
import { ALL_POLICIES } from '../kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../kinds/policies/policy.ts';
import { toCustomResourceDefinition } from '../kinds/schema/crd.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import { PROVIDER_ROLES } from '../provider/roles.ts';
import { RUNNER_ROLES } from '../runners/roles.ts';

export const renderDefinitions = (): readonly KubeObject[] => ALL_KINDS.map(toCustomResourceDefinition);

export const renderPolicies = (): readonly KubeObject[] => ALL_POLICIES.flatMap(toAdmissionObjects);

export const renderRoles = (): readonly KubeObject[] => [
  ...Object.values(PROVIDER_ROLES),
  ...Object.values(RUNNER_ROLES),
];
