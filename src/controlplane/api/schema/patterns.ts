/**
 * Patterns of a schema. They are written for Go's RE2, whose texts JavaScript mostly reads alike: strictly where it can,
 * leniently where a pattern escapes more than it must. What cannot be read at all refuses the CRD.
 */
import { invalidValue, type Problem } from '../refusal.ts';
import { joinField, type Schema } from './schema.ts';

/** Undefined when the pattern cannot be read. */
export const compilePattern = (pattern: string): RegExp | undefined =>
  tryCompile(pattern, 'u') ?? tryCompile(pattern, '');

const tryCompile = (pattern: string, flags: string): RegExp | undefined => {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
};

/** Every pattern in the schema that cannot be read. */
export const checkPatterns = (schema: Schema, path: string): readonly Problem[] => {
  const { pattern, properties = {}, items, additionalProperties } = schema;
  const isBad = pattern !== undefined && compilePattern(pattern) === undefined;
  return [
    ...(isBad ? [invalidValue(`${path}.pattern`, pattern, 'must be a valid regular expression')] : []),
    ...Object.entries(properties).flatMap(([name, child]) => checkPatterns(child, joinField(path, name))),
    ...(items === undefined ? [] : checkPatterns(items, `${path}[*]`)),
    ...(typeof additionalProperties === 'object' ? checkPatterns(additionalProperties, `${path}[*]`) : []),
  ];
};
