/**
 * CEL rules of a CRD (`x-kubernetes-validations`). Compiled when the CRD is stored, so that a rule that does not compile
 * refuses the CRD and never an object. A rule about `oldSelf` is asked only where there is an old value.
 */
import { Environment } from '@marcbachmann/cel-js';
import { messageOf } from '../../../base/errors.ts';
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { invalidValue, type Problem } from '../refusal.ts';
import { type CelRule, fieldSchema, joinField, type Schema } from './schema.ts';
import { oldItems, type Place } from './validate.ts';

interface CompiledRule {
  readonly rule: CelRule;
  /** Says something about the change, not about the value alone. */
  readonly isTransition: boolean;
  evaluate(scope: Readonly<Record<string, unknown>>): unknown;
}

/** A schema reduced to where its rules are. */
export interface RuleTree {
  readonly schema: Schema;
  readonly rules: readonly CompiledRule[];
  readonly fields: ReadonlyMap<string, RuleTree>;
  /** Of every item of a list, or every value of a map. */
  readonly each: RuleTree | undefined;
}

/** Undefined when there is no rule in it; rules that do not compile are told to `refuse`. */
export const compileRules = (
  schema: Schema,
  path: string,
  refuse: (problem: Problem) => void,
): RuleTree | undefined => {
  const rules = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => compileRule(rule, path, refuse));
  const fields = new Map<string, RuleTree>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const tree = compileRules(child, joinField(path, name), refuse);
    if (tree !== undefined) fields.set(name, tree);
  }
  const { items, additionalProperties } = schema;
  const below = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  const each = below === undefined ? undefined : compileRules(below, `${path}[*]`, refuse);
  return rules.length === 0 && fields.size === 0 && each === undefined ? undefined : { schema, rules, fields, each };
};

const compileRule = (rule: CelRule, path: string, refuse: (problem: Problem) => void): readonly CompiledRule[] => {
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });
  try {
    const evaluate = environment.parse(rule.rule);
    return [{ rule, isTransition: /\boldSelf\b/.test(rule.rule), evaluate: (scope) => evaluate({ ...scope }) }];
  } catch (thrown) {
    refuse(invalidValue(`${path}.x-kubernetes-validations`, rule.rule, `compilation failed: ${messageOf(thrown)}`));
    return [];
  }
};

export const checkRules = (value: unknown, tree: RuleTree, place: Place): readonly Problem[] => {
  if (value === undefined || value === null) return [];
  const { path, old } = place;
  const isUnchanged = old !== undefined && isEqualJson(value, old);
  const own = tree.rules
    .filter(({ isTransition, rule }) =>
      isTransition ? old !== undefined || rule.optionalOldSelf === true : !isUnchanged,
    )
    .flatMap((rule) => checkRule(value, { rule, schema: tree.schema }, place));
  return [...own, ...checkBelow(value, tree, { path, old })];
};

const checkBelow = (value: unknown, tree: RuleTree, { path, old }: Place): readonly Problem[] => {
  const { each, fields } = tree;
  if (Array.isArray(value)) {
    const oldItem = oldItems(tree.schema, old);
    if (each === undefined) return [];
    return value.flatMap((item, at) => checkRules(item, each, { path: `${path}[${at}]`, old: oldItem(item) }));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const below = fields.get(name) ?? each;
    const oldChild = isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;
    return below === undefined ? [] : checkRules(child, below, { path: joinField(path, name), old: oldChild });
  });
};

const checkRule = (
  value: unknown,
  { rule: { rule, evaluate }, schema }: { readonly rule: CompiledRule; readonly schema: Schema },
  { path, old }: Place,
): readonly Problem[] => {
  const field = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  const said = isRecord(value) ? 'object' : Array.isArray(value) ? 'array' : value;
  try {
    const scope = { self: toCel(value, schema), ...(old !== undefined && { oldSelf: toCel(old, schema) }) };
    if (evaluate(scope) === true) return [];
    return [invalidValue(field, said, rule.message ?? `failed rule: ${rule.rule}`)];
  } catch (thrown) {
    return [
      invalidValue(field, said, `rule ${JSON.stringify(rule.rule)} could not be evaluated: ${messageOf(thrown)}`),
    ];
  }
};

/** CEL tells integers from doubles; the schema says which a JSON number is. */
const toCel = (value: unknown, schema: Schema | undefined): unknown => {
  if (typeof value === 'number') return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item) => toCel(item, schema?.items));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, toCel(child, schema && fieldSchema(schema, name))]),
  );
};
