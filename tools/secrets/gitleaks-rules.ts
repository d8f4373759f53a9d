/** Our rules for gitleaks, beside all of its own: the file that it finds by itself at the root of the repository. Pure. */
import { SECRET_KINDS, type SecretKind } from './secret-kinds.ts';

export const GITLEAKS_RULES = '.gitleaks.toml';

const HEADER = `# Generated from tools/secrets by "npm run generate". Do not edit: change the kind of secret and generate again.
title = "Macfleet"

[extend]
useDefault = true
`;

/** Values that gitleaks' own rules take for secrets, and are nobody's. */
const MADE_UP: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'bootstrap tokens of tests', pattern: /^([a-z0-9]{6}\.)?0123456789abcde[fg]$/ },
  { what: 'tokens that nobody signed', pattern: /^(eyJhbGciOiJub25lIn0\.[\w-]+\.|eyJhbGciOi\.eyJpc3MiOi\.c2ln)$/ },
  {
    what: 'the key by which ssh2 finds out whether Node knows Ed25519; it is in its source',
    pattern: /MC4CAQAwBQYDK2VwBCIEIHKj\+sVa9WcD\/q2DJUJaf43Kptc8xYuUQA4bOFj9vC8T/,
  },
  { what: 'the password of a simulated Mac', pattern: /^abc123def456$/ },
];

export const renderGitleaksRules = (): string =>
  [HEADER, ...MADE_UP.map(renderMadeUp), KEY_READERS, ...SECRET_KINDS.flatMap(renderRule)].join('\n');

const renderMadeUp = ({ what, pattern }: (typeof MADE_UP)[number]): string => `[[allowlists]]
description = "${what}"
regexes = [${literal(pattern)}]
`;

/** Programs that read keys hold the words around one, with code between them. No key has a brace or a semicolon. */
const KEY_READERS = `[[allowlists]]
description = "code that reads keys"
targetRules = ["private-key"]
regexTarget = "match"
regexes = ['''[{}();]''']
`;

const renderRule = ({ id, what, pattern, madeUp, keyword }: SecretKind): readonly string[] => {
  if (keyword === undefined) return [];
  const rule = `[[rules]]
id = "${id}"
description = "${what}"
regex = ${literal(pattern)}
secretGroup = 1
keywords = ["${keyword}"]
`;
  const nobodys = `[[rules.allowlists]]
description = "made up"
regexes = [${madeUp === undefined ? '' : literal(madeUp)}]
`;
  return madeUp === undefined ? [rule] : [rule, nobodys];
};

/** Go's syntax has flags inside. */
const literal = ({ source, flags }: RegExp): string => `'''${flags.includes('i') ? '(?i)' : ''}${source}'''`;
