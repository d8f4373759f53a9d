/**
 * Where the embedded control plane answers otherwise than the real kube-apiserver, and why. The suite fails for a
 * difference that is not here, and for one here that is gone. None is in verbs, patch or watch.
 */

export interface Difference {
  /** The case. */
  readonly id: string;
  /** What the embedded one does instead. */
  readonly embedded: string;
  readonly reason: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    id: 'storage-version-hash',
    embedded: 'names no storage version',
    reason: 'there is one version of each builtin kind, and nothing to migrate',
  },
  {
    id: 'openapi-hash',
    embedded: 'gives addresses without a hash',
    reason: 'documents are made when they are asked for; a client asks anew instead of trusting its cache',
  },
  {
    id: 'pod-defaults',
    embedded: 'sets neither priority nor preemptionPolicy, and adds no tolerations for nodes that are not ready',
    reason: 'open: admission (Priority, DefaultTolerationSeconds)',
  },
  {
    id: 'pod-priority-of-a-class',
    embedded: 'leaves spec.priority to whoever reads the class',
    reason: 'open: admission (Priority)',
  },
  {
    id: 'pod-spec-is-immutable',
    embedded: 'has no tolerations in a Pod that named none, so a patch that appends to them fails',
    reason: 'open: admission (DefaultTolerationSeconds)',
  },
  {
    id: 'custom-enum',
    embedded: 'tries the rules although a value is not among those allowed',
    reason: 'open: api (rules after a shape that is wrong)',
  },
  {
    id: 'custom-date',
    embedded: 'tries the rules although a value has another format, and calls the cause FieldValueInvalid',
    reason: 'open: api (rules after a shape that is wrong)',
  },
  {
    id: 'rule-message-expression',
    embedded: "shows the object before the rule's own message",
    reason: 'open: api (message of a rule with a fieldPath)',
  },
  {
    id: 'definition-bad-rule',
    embedded: 'takes a rule that names a field the schema does not have; it fails when it is evaluated',
    reason: 'expressions are parsed, not checked against types',
  },
  {
    id: 'definition-protected-group',
    embedded: 'lets a definition be in a group of k8s.io without approval',
    reason: 'open: api',
  },
  {
    id: 'bind',
    embedded: 'says pods, not pods/binding, when a Pod is bound already',
    reason: 'open: api',
  },
  {
    id: 'bind-to-nothing',
    embedded: 'answers 422 instead of 500',
    reason: 'the real one calls a mistake of the client its own',
  },
  {
    id: 'csr-not-pem',
    embedded: 'answers 403 instead of 422',
    reason: 'open: admission (a request that cannot be read is for validation to refuse)',
  },
  {
    id: 'impersonate-refused',
    embedded: 'says that users may not be impersonated',
    reason: 'constrained impersonation (1.36) is not there, so neither are its words',
  },
  {
    id: 'impersonate-group-alone',
    embedded: 'names the header instead of the user that was read',
    reason: 'the real one prints a Go struct',
  },
  {
    id: 'wrong-api-version',
    embedded: "words the refusal by the path's kind and version",
    reason: 'the real one names the file that holds its scheme',
  },
  {
    id: 'accept-unknown',
    embedded: 'names JSON alone',
    reason: 'it answers in JSON only',
  },
  {
    id: 'accept-yaml',
    embedded: 'refuses to answer in YAML (406)',
    reason: 'no client of ours asks for it; kubectl turns JSON into YAML itself',
  },
  {
    id: 'audit-id',
    embedded: 'gives no audit id back',
    reason: 'nothing is audited here',
  },
  {
    id: 'not-cached',
    embedded: 'sends no cache-control',
    reason: 'open: api',
  },
];
