/** What secrets look like that may stand somewhere by mistake: the one source of our own search and of our rules for gitleaks. */

export interface SecretKind {
  readonly id: string;
  readonly what: string;
  /** The secret is its first group, or all of it. */
  readonly pattern: RegExp;
  /** Values that are nobody's: of simulators, tests and examples. */
  readonly madeUp?: RegExp;
  /** For gitleaks, which looks at nothing without this word. Without it: a kind that gitleaks has a rule of its own for. */
  readonly keyword?: string;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const SECRET_KINDS: readonly SecretKind[] = [
  {
    id: 'scaleway-access-key',
    what: 'an access key of Scaleway',
    pattern: /\b(SCW[A-Z0-9]{17})\b/g,
    madeUp: /^SCW(SIMULATED\d{8}|[A-Z]*0{6,}|ABCDEFGHIJKLMNOPQ|X{17})$/,
    keyword: 'scw',
  },
  {
    // A UUID alone says nothing: servers, projects and intents have one too.
    id: 'scaleway-secret-key',
    what: 'a secret key of Scaleway',
    pattern: new RegExp(`secret[-_ ]?key[^\\n]{0,8}[:=][^\\n]{0,8}?\\b(${UUID})\\b`, 'gi'),
    madeUp: /^(0{8}|1{8}|12345678)-/,
    keyword: 'secret',
  },
  {
    id: 'private-key',
    what: 'a private key',
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)*([A-Za-z0-9+/=]{40,})/g,
  },
  {
    id: 'github-token',
    what: 'a token of GitHub',
    pattern: /\b(gh[pousr]_[A-Za-z0-9]{36,})\b/g,
    madeUp: /^gh._(.)\1+$/,
  },
  {
    id: 'kubernetes-token',
    what: 'a token of Kubernetes',
    pattern: /\b(eyJhbGciOi[\w-]{10,}\.eyJ[\w-]{40,}\.[\w-]{40,})/g,
  },
];
