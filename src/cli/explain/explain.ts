/** What a code means, in words: of an error, or of what an audit finds. Pure. */
import { ERROR_BEHAVIOUR, ERROR_KINDS, FleetError } from '../../base/errors.ts';
import { AUDIT_RULES } from '../audit/all-rules.ts';
import { type Look, PLAIN } from '../show/look.ts';
import { wrapText } from '../show/wrap.ts';
import type { ErrorCase, ErrorCode } from './error-code.ts';
import { KIND_HINTS, KIND_MEANINGS } from './kind-meanings.ts';

/** Also a kind of error, or what an audit finds; capitals do not count. */
export const explain = (wanted: string, codes: readonly ErrorCode[], look: Look = PLAIN): string => {
  const isWanted = (name: string): boolean => name.toLowerCase() === wanted.toLowerCase();
  const found = codes.find(({ code }) => isWanted(code));
  const rule = AUDIT_RULES.find(({ code }) => isWanted(code));
  const kind = ERROR_KINDS.find(isWanted);
  const sections = [
    ...(found === undefined ? [] : [renderError(found, look)]),
    ...(rule === undefined
      ? []
      : [
          [
            `${rule.code}: found by macfleet audit`,
            ...wrapText(`what: ${rule.about}`, { indent: 2, look }),
            ...wrapText(`why it matters: ${rule.why}`, { indent: 2, look }),
          ],
        ]),
    ...(kind === undefined ? [] : [[`${kind}: a kind of error`, ...renderKind(kind, look)]]),
  ];
  if (sections.length === 0) throw unknownCode(wanted, codes);
  return sections.map((lines) => lines.join('\n')).join('\n\n');
};

const renderError = ({ code, cases }: ErrorCode, look: Look): readonly string[] => [
  code,
  ...cases.flatMap(({ kind, message, hint }) => [
    ...(message === undefined ? [] : wrapText(`what happened: ${message}`, { indent: 2, look })),
    ...wrapText(`what to do: ${hint ?? KIND_HINTS[kind]}`, { indent: 2, look }),
  ]),
  ...[...new Set(cases.map(({ kind }) => kind))].flatMap((kind) => renderKind(kind, look)),
];

const renderKind = (kind: ErrorCase['kind'], look: Look): readonly string[] => [
  ...wrapText(`kind ${kind}: ${KIND_MEANINGS[kind]}`, { indent: 2, look }),
  `  exit code ${ERROR_BEHAVIOUR[kind].exitCode}`,
];

const SUGGESTED_MOST = 5;

const unknownCode = (wanted: string, codes: readonly ErrorCode[]): FleetError => {
  const names = [...codes.map(({ code }) => code), ...AUDIT_RULES.map(({ code }) => code), ...ERROR_KINDS];
  const near = names.filter((name) => isNear(name, wanted)).slice(0, SUGGESTED_MOST);
  const page = 'docs/errors.md lists them all.';
  return new FleetError('not-found', {
    code: 'UnknownCode',
    message: `"${wanted}" is no code of Macfleet's`,
    hint: near.length === 0 ? page : `Did you mean ${near.join(', ')}? ${page}`,
  });
};

const NEAR_LEAST = 4;

/** One is in the other, or they begin alike. */
const isNear = (name: string, wanted: string): boolean => {
  const [one, other] = [name.toLowerCase(), wanted.toLowerCase()];
  return (
    other.length >= NEAR_LEAST &&
    (one.includes(other) || other.includes(one) || one.startsWith(other.slice(0, NEAR_LEAST)))
  );
};
