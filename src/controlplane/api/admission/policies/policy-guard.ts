/**
 * ValidatingAdmissionPolicies at work. They are compiled when they are written, act where a binding says so, and are never
 * asked about policies themselves, so that a wrong one can always be taken away.
 */
import { fieldsOf, type StoredObject } from '../../../store/object.ts';
import type { Store } from '../../../store/store.ts';
import type { Write } from '../../gate.ts';
import { ApiRefusal, forbidden, invalid } from '../../refusal.ts';
import type { AdmissionDeps, Admit } from '../plugin.ts';
import { type CompiledPolicy, compilePolicy } from './compile-policy.ts';
import { evaluatePolicy, type Objection } from './evaluate-policy.ts';
import { isMatched, parseMatch, type ResourceMatch } from './resource-match.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;

interface Binding {
  readonly name: string;
  readonly policyName: string;
  readonly actions: readonly string[];
  readonly match: ResourceMatch;
}

export const createPolicyGuard = (store: Store): Admit => {
  const policies = follow(store, POLICIES, (object) => {
    const reading = compilePolicy(object);
    return reading.is === 'good' ? reading.policy : undefined;
  });
  const bindings = follow(store, BINDINGS, parseBinding);
  return (write, deps) => {
    if (write.resource.group === GROUP) {
      checkPolicy(write);
      return;
    }
    const matched = [...policies.values()].filter(({ match }) => isMatched(match, write, store));
    for (const policy of matched) {
      const bound = [...bindings.values()].filter(
        ({ policyName, match }) => policyName === policy.name && isMatched(match, write, store),
      );
      if (bound.length > 0) ask(policy, { write, deps, bound });
    }
  };
};

/** What is in the collection, read once per change. */
const follow = <T>(store: Store, collection: string, read: (object: StoredObject) => T | undefined) => {
  const known = new Map<string, T>();
  const learn = (key: string, object: StoredObject | undefined): void => {
    const value = object === undefined ? undefined : read(object);
    if (value === undefined) known.delete(key);
    else known.set(key, value);
  };
  for (const { key, object } of store.list(collection)) learn(key, object);
  store.subscribe(collection, ({ type, entry }) => learn(entry.key, type === 'DELETED' ? undefined : entry.object));
  return known;
};

const parseBinding = (object: StoredObject): Binding => {
  const { policyName, validationActions, matchResources } = fieldsOf(object['spec']);
  return {
    name: object.metadata.name,
    policyName: String(policyName),
    actions: Array.isArray(validationActions) ? validationActions.map(String) : [],
    match: parseMatch(matchResources),
  };
};

/** A policy that could not act is refused when it is written. */
const checkPolicy = ({ resource, operation, subresource, object, name }: Write): void => {
  if (operation === 'DELETE' || subresource !== '' || object === undefined) return;
  if (resource.kind === 'ValidatingAdmissionPolicy') {
    const reading = compilePolicy(object);
    if (reading.is === 'bad') throw invalid(resource, name, reading.problems);
  }
  if (resource.kind !== 'ValidatingAdmissionPolicyBinding' || fieldsOf(object['spec'])['paramRef'] === undefined)
    return;
  const message =
    'Forbidden: parameters are not supported by the embedded control plane: write the values into the policy';
  throw invalid(resource, name, [{ field: 'spec.paramRef', reason: 'FieldValueForbidden', message }]);
};

interface Scene {
  readonly write: Write;
  readonly deps: AdmissionDeps;
  readonly bound: readonly Binding[];
}

const ask = (policy: CompiledPolicy, { write, deps, bound }: Scene): void => {
  const objections = evaluatePolicy(policy, write, deps);
  for (const binding of bound) {
    for (const objection of objections) {
      if (binding.actions.includes('Warn')) write.warn(`Validation failed for ${said({ policy, binding, objection })}`);
    }
  }
  const denying = bound.find(({ actions }) => actions.includes('Deny'));
  const [first] = objections;
  if (denying !== undefined && first !== undefined) throw denied(policy, { write, binding: denying, objection: first });
};

interface Said {
  readonly policy: CompiledPolicy;
  readonly binding: Binding;
  readonly objection: Objection;
}

const said = ({ policy, binding, objection }: Said): string =>
  `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${objection.message}`;

/** Worded as a refusal by admission, with the reason that the policy gives. */
const denied = (policy: CompiledPolicy, { write, binding, objection }: Omit<Said, 'policy'> & { write: Write }) => {
  const why = `ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}' denied request: ${objection.message}`;
  const { message, statusDetails } = forbidden(write.resource, write.name, why);
  return new ApiRefusal(objection.reason, message, { ...statusDetails, causes: [{ reason: '', message: why }] });
};
