/**
 * CEL rules of a CRD (`x-kubernetes-validations`). Compiled when the CRD is stored, so that a rule that does not compile
 * refuses the CRD and never an object. A rule about `oldSelf` is asked only where there is an old value.
 */
import { Optional } from '@marcbachmann/cel-js';
import { messageOf } from '../../../base/errors.ts';
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { type CelCompiler, createCelCompiler, createMeter, type Evaluate, type Meter } from '../cel/metered.ts';
import { forbiddenField, invalidValue, type Problem, required } from '../refusal.ts';
import { type CelRule, fieldSchema, joinField, type Schema } from './schema.ts';
import { oldItems, type Place } from './validate.ts';

interface CompiledRule {
  readonly rule: CelRule;
  /** Says something about the change, not about the value alone. */
  readonly isTransition: boolean;
  readonly evaluate: Evaluate;
  /** Makes the message, where the rule says how. */
  readonly say: Evaluate | undefined;
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
export const compileRules = (schema: Schema, path: string, refuse: (problem: Problem) => void): RuleTree | undefined =>
  compileTree(schema, path, { refuse, cel: createCelCompiler((environment) => environment) });

interface Compiling {
  readonly cel: CelCompiler;
  refuse(problem: Problem): void;
}

const compileTree = (schema: Schema, path: string, compiling: Compiling): RuleTree | undefined => {
  const rules = (schema['x-kubernetes-validations'] ?? []).flatMap((rule, at) =>
    compileRule(rule, `${path}.x-kubernetes-validations[${at}]`, compiling),
  );
  const fields = new Map<string, RuleTree>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const tree = compileTree(child, joinField(path, name), compiling);
    if (tree !== undefined) fields.set(name, tree);
  }
  const { items, additionalProperties } = schema;
  const below = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  const each = below === undefined ? undefined : compileTree(below, `${path}[*]`, compiling);
  return rules.length === 0 && fields.size === 0 && each === undefined ? undefined : { schema, rules, fields, each };
};

const compileRule = (rule: CelRule, path: string, { cel, refuse }: Compiling): readonly CompiledRule[] => {
  const compile = (expression: string, field: string): Evaluate | undefined => {
    try {
      return cel.compile(expression);
    } catch (thrown) {
      refuse(invalidValue(`${path}.${field}`, expression, `compilation failed: ${messageOf(thrown)}`));
      return undefined;
    }
  };
  const evaluate = compile(rule.rule, 'rule');
  const { messageExpression: how } = rule;
  const say = how === undefined ? undefined : compile(how, 'messageExpression');
  if (evaluate === undefined) return [];
  return [{ rule, isTransition: /\boldSelf\b/.test(rule.rule), evaluate, say }];
};

/** What is wrong by the rules. All of them together have one budget of steps. */
export const checkRules = (value: unknown, tree: RuleTree, place: Place): readonly Problem[] =>
  checkTree(value, tree, { ...place, meter: createMeter() });

interface MeteredPlace extends Place {
  readonly meter: Meter;
}

const checkTree = (value: unknown, tree: RuleTree, place: MeteredPlace): readonly Problem[] => {
  if (value === undefined || value === null) return [];
  const { old } = place;
  const isUnchanged = old !== undefined && isEqualJson(value, old);
  const own = tree.rules
    .filter(({ isTransition, rule }) =>
      isTransition ? old !== undefined || rule.optionalOldSelf === true : !isUnchanged,
    )
    .flatMap((rule) => checkRule(value, { rule, schema: tree.schema }, place));
  return [...own, ...checkBelow(value, tree, place)];
};

const checkBelow = (value: unknown, tree: RuleTree, place: MeteredPlace): readonly Problem[] => {
  const { path, old } = place;
  const { each, fields } = tree;
  if (Array.isArray(value)) {
    const oldItem = oldItems(tree.schema, old);
    if (each === undefined) return [];
    return value.flatMap((item, at) => checkTree(item, each, { ...place, path: `${path}[${at}]`, old: oldItem(item) }));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const below = fields.get(name) ?? each;
    const oldChild = isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;
    return below === undefined ? [] : checkTree(child, below, { ...place, path: joinField(path, name), old: oldChild });
  });
};

const checkRule = (
  value: unknown,
  { rule: compiled, schema }: { readonly rule: CompiledRule; readonly schema: Schema },
  { path, old, meter }: MeteredPlace,
): readonly Problem[] => {
  const { rule, evaluate } = compiled;
  const field = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  const said = sortKeys(value);
  const scope = scopeOf(value, old, { rule, schema });
  try {
    if (evaluate(scope, meter) === true) return [];
    return [problemOf(rule, { field, said, why: messageFor(compiled, scope, meter) })];
  } catch (thrown) {
    const why = meter.isSpent
      ? messageOf(thrown)
      : `rule ${JSON.stringify(rule.rule)} could not be evaluated: ${messageOf(thrown)}`;
    return [invalidValue(field, said, why)];
  }
};

/** With `optionalOldSelf` the old value is an optional, empty on a create. */
const scopeOf = (
  value: unknown,
  old: unknown,
  { rule, schema }: { readonly rule: CelRule; readonly schema: Schema },
): Readonly<Record<string, unknown>> => {
  const before = old === undefined ? undefined : toCel(old, schema);
  const oldSelf = rule.optionalOldSelf !== true ? before : before === undefined ? Optional.none() : Optional.of(before);
  return { self: toCel(value, schema), ...(oldSelf !== undefined && { oldSelf }) };
};

/** A message that cannot be made falls back to the one that stands. */
const messageFor = ({ rule, say }: CompiledRule, scope: Readonly<Record<string, unknown>>, meter: Meter): string => {
  const fallback = rule.message ?? `failed rule: ${rule.rule}`;
  if (say === undefined) return fallback;
  try {
    const text = say(scope, meter);
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text : fallback;
  } catch (thrown) {
    if (meter.isSpent) throw thrown;
    return fallback;
  }
};

interface Failure {
  readonly field: string;
  readonly said: unknown;
  readonly why: string;
}

const problemOf = ({ reason }: CelRule, { field, said, why }: Failure): Problem => {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, why);
    case 'FieldValueRequired':
      return required(field, why);
    case 'FieldValueDuplicate':
      return { field, reason, message: `Duplicate value: ${JSON.stringify(said)}` };
    default:
      return invalidValue(field, said, why);
  }
};

/** Values are shown with their fields in order, as Go prints them. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const sorted = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, child]) => [name, sortKeys(child)]));
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
