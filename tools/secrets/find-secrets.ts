/** Secrets that stand in a text by mistake: what Scaleway, GitHub, Kubernetes and SSH give to people and programs. Pure. */

export interface FoundSecret {
  readonly what: string;
  /** Where in the text. */
  readonly index: number;
}

interface Kind {
  readonly what: string;
  /** The secret is its first group, or all of it. */
  readonly pattern: RegExp;
  /** Values that are nobody's: of simulators, tests and examples. */
  readonly madeUp?: RegExp;
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const KINDS: readonly Kind[] = [
  {
    what: 'an access key of Scaleway',
    pattern: /\b(SCW[A-Z0-9]{17})\b/g,
    madeUp: /^SCW(SIMULATED\d{8}|[A-Z]*0{6,}|ABCDEFGHIJKLMNOPQ|X{17})$/,
  },
  {
    // A UUID alone says nothing: servers, projects and intents have one too.
    what: 'a secret key of Scaleway',
    pattern: new RegExp(`secret[-_ ]?key[^\\n]{0,8}[:=][^\\n]{0,8}?\\b(${UUID})\\b`, 'gi'),
    madeUp: /^(0{8}|1{8}|00000000|11111111|12345678)-/,
  },
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\\n|\s)*([A-Za-z0-9+/=]{40,})/g },
  { what: 'a token of GitHub', pattern: /\b(gh[pousr]_[A-Za-z0-9]{36,})\b/g, madeUp: /^gh._(.)\1+$/ },
  { what: 'a token of Kubernetes', pattern: /\b(eyJhbGciOi[\w-]{10,}\.eyJ[\w-]{40,}\.[\w-]{40,})/g },
];

export const findSecrets = (text: string): readonly FoundSecret[] =>
  KINDS.flatMap(({ what, pattern, madeUp }) =>
    [...text.matchAll(pattern)]
      .filter(([whole, secret = whole]) => madeUp?.test(secret) !== true)
      .map(({ index }) => ({ what, index })),
  );
