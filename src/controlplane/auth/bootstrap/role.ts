/** A short way to write roles down. */
import type { PolicyRule } from '../rbac/policy-rule.ts';
import type { ServiceAccountName } from '../user.ts';

export interface RoleSpec {
  readonly name: string;
  /** Makes it a Role of that namespace; a ClusterRole without. */
  readonly namespace?: string;
  readonly rules: readonly PolicyRule[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Label that marks the roles whose rules this one gathers. */
  readonly gathers?: string;
}

export interface BindingSpec {
  readonly name: string;
  /** Of the Role or ClusterRole that is bound, when it is not the binding's own. */
  readonly role?: string;
  /** Makes it a RoleBinding of that namespace, of a Role there; a ClusterRoleBinding without. */
  readonly namespace?: string;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly accounts?: readonly ServiceAccountName[];
}

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** Verbs, API groups and resources, each as words; the core group is written `core`. */
export const rule = (verbs: string, groups: string, resources: string, names: readonly string[] = []): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: words(groups).map((group) => (group === 'core' ? '' : group)),
  resources: words(resources),
  resourceNames: names,
  nonResourceURLs: [],
});

export const urlRule = (verbs: string, urls: string): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: words(urls),
});

export const READ = 'get list watch';
export const WRITE = 'create update patch delete deletecollection';

export const eventsRule = (): PolicyRule => rule('create update patch', 'core events.k8s.io', 'events');
