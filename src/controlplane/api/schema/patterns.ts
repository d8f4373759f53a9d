/** Patterns of a schema, in Go's RE2. What cannot be read refuses the CRD. */
import { messageOf } from '../../../base/errors.ts';
import { invalidValue, type Problem } from '../refusal.ts';
import { compilePattern, type Pattern } from '../regex/pattern.ts';
import type { Schema } from './schema.ts';

/** The pattern of that text, compiled once; undefined when it cannot be read, which its CRD was not checked for in time. */
export type PatternBook = (text: string) => Pattern | undefined;

export const createPatternBook = (): PatternBook => {
  const known = new Map<string, Pattern | undefined>();
  return (text) => {
    if (!known.has(text)) {
      const compiled = tryCompile(text);
      known.set(text, compiled.is === 'good' ? compiled.pattern : undefined);
    }
    return known.get(text);
  };
};

type Compiled = { readonly is: 'good'; readonly pattern: Pattern } | { readonly is: 'bad'; readonly why: string };

const tryCompile = (text: string): Compiled => {
  try {
    return { is: 'good', pattern: compilePattern(text) };
  } catch (thrown) {
    return { is: 'bad', why: messageOf(thrown) };
  }
};

/** Every pattern in the schema that cannot be read. */
export const checkPatterns = (schema: Schema, path: string): readonly Problem[] => {
  const { pattern, properties = {}, items, additionalProperties, not } = schema;
  const combined = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((how) =>
    (schema[how] ?? []).flatMap((part, at) => checkPatterns(part, `${path}.${how}[${at}]`)),
  );
  return [
    ...(pattern === undefined ? [] : checkPattern(pattern, `${path}.pattern`)),
    ...Object.entries(properties).flatMap(([name, child]) => checkPatterns(child, `${path}.properties[${name}]`)),
    ...(items === undefined ? [] : checkPatterns(items, `${path}.items`)),
    ...(typeof additionalProperties === 'object'
      ? checkPatterns(additionalProperties, `${path}.additionalProperties`)
      : []),
    ...combined,
    ...(not === undefined ? [] : checkPatterns(not, `${path}.not`)),
  ];
};

const checkPattern = (pattern: string, field: string): readonly Problem[] => {
  const compiled = tryCompile(pattern);
  if (compiled.is === 'good') return [];
  return [invalidValue(field, pattern, `must be a valid regular expression, but isn't: ${compiled.why}`)];
};
