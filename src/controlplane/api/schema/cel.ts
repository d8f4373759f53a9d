/**
 * CEL rules of a CRD (`x-kubernetes-validations`). Compiled when the CRD is stored, so that a rule that does not compile
 * refuses the CRD and never an object. A rule about `oldSelf` is asked only where there is an old value.
 */
import { Optional } from '@marcbachmann/cel-js';
import { messageOf } from '../../../base/errors.ts';
import { isEqualJson, isRecord } from '../../../base/json.ts';
import {
  type CelCompiler,
  createCelCompiler,
  createMeter,
  type Evaluate,
  type Meter,
  messageOfCel,
} from '../cel/metered.ts';
import { forbiddenField, invalidValue, type Problem, required } from '../refusal.ts';
import { type CelReader, createCelReader } from './cel-values.ts';
import type { Place } from './place.ts';
import { type CheckExpression, createExpressionCheck, type RulePlace } from './rule-types.ts';
import { type CelRule, joinField, type Schema } from './schema.ts';
import { oldItems } from './validate.ts';

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
  readonly read: CelReader;
  readonly rules: readonly CompiledRule[];
  readonly fields: ReadonlyMap<string, RuleTree>;
  /** Of every item of a list, or every value of a map. */
  readonly each: RuleTree | undefined;
}

/** Undefined when there is no rule in it. Of a CRD that is stored already: what does not compile is left out. */
export const compileRules = (schema: Schema): RuleTree | undefined =>
  compileTree(schema, '', {
    refuse: () => undefined,
    cel: createCelCompiler((environment) => environment),
    read: createCelReader(),
  });

/** What is wrong with the rules themselves, before the CRD is stored. */
export const checkRuleTexts = (schema: Schema, path: string): readonly Problem[] => {
  const problems: Problem[] = [];
  const cel = createCelCompiler((environment) => environment);
  compileTree(schema, path, {
    cel,
    read: createCelReader(),
    checkAt: createExpressionCheck,
    root: schema,
    refuse: (problem) => void problems.push(problem),
  });
  return problems;
};

interface Compiling {
  readonly cel: CelCompiler;
  readonly read: CelReader;
  /** Holds rules against the types of the schema. */
  readonly checkAt?: (place: RulePlace) => CheckExpression;
  readonly root?: Schema;
  refuse(problem: Problem): void;
}

const compileTree = (schema: Schema, path: string, compiling: Compiling): RuleTree | undefined => {
  const rules = (schema['x-kubernetes-validations'] ?? []).flatMap((rule, at) =>
    compileRule({ rule, schema }, `${path}.x-kubernetes-validations[${at}]`, compiling),
  );
  const fields = new Map<string, RuleTree>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const tree = compileTree(child, `${path}.properties[${name}]`, compiling);
    if (tree !== undefined) fields.set(name, tree);
  }
  const { items, additionalProperties } = schema;
  const below = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  const each =
    below === undefined
      ? undefined
      : compileTree(below, `${path}.${items === undefined ? 'additionalProperties' : 'items'}`, compiling);
  if (rules.length === 0 && fields.size === 0 && each === undefined) return undefined;
  return { schema, read: compiling.read, rules, fields, each };
};

interface PlacedRule {
  readonly rule: CelRule;
  readonly schema: Schema;
}

const compileRule = ({ rule, schema }: PlacedRule, path: string, compiling: Compiling): readonly CompiledRule[] => {
  const { cel, checkAt, root, refuse } = compiling;
  const oldSelf = rule.optionalOldSelf === true ? 'optional' : 'value';
  const check = checkAt?.({ schema, isRoot: schema === root, oldSelf });
  const shown = renderRule(rule);
  const compile = (expression: string, field: string, wanted: 'bool' | 'string'): Evaluate | undefined => {
    const why = check?.(expression, wanted);
    if (why !== undefined) {
      refuse(invalidValue(`${path}.${field}`, shown, why));
      return undefined;
    }
    try {
      return cel.compile(expression, wanted);
    } catch (thrown) {
      refuse(invalidValue(`${path}.${field}`, shown, `compilation failed: ${messageOf(thrown)}`));
      return undefined;
    }
  };
  const evaluate = compile(rule.rule, 'rule', 'bool');
  const { messageExpression: how } = rule;
  const say = how === undefined ? undefined : compile(how, 'messageExpression', 'string');
  if (evaluate === undefined) return [];
  return [{ rule, isTransition: /\boldSelf\b/.test(rule.rule), evaluate, say }];
};

/** As a real API server shows it. */
const renderRule = ({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: CelRule) => ({
  Rule: rule,
  Message: message ?? '',
  MessageExpression: messageExpression ?? '',
  Reason: reason ?? null,
  FieldPath: fieldPath ?? '',
  OptionalOldSelf: optionalOldSelf ?? null,
});

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
    .flatMap((rule) => checkRule(value, { ...tree, rule }, place));
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
    const field = fields.get(name);
    const below = field ?? each;
    const oldChild = isRecord(old) && Object.hasOwn(old, name) ? old[name] : undefined;
    const at = field === undefined ? `${path}[${name}]` : joinField(path, name);
    return below === undefined ? [] : checkTree(child, below, { ...place, path: at, old: oldChild });
  });
};

const checkRule = (
  value: unknown,
  { rule: compiled, schema, read }: Pick<RuleTree, 'schema' | 'read'> & { readonly rule: CompiledRule },
  { path, old, meter }: MeteredPlace,
): readonly Problem[] => {
  const { rule, evaluate } = compiled;
  const field = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  const scope = scopeOf(value, old, { rule, schema, read });
  try {
    if (evaluate(scope, meter) === true) return [];
    return [problemOf(rule, { field, value, why: messageFor(compiled, scope, meter) })];
  } catch (thrown) {
    const said = rule.message ?? rule.rule;
    const failed = messageOfCel(thrown);
    const why = meter.isSpent
      ? `'${failed}': no further validation rules will be run due to call cost exceeds limit for rule: ${said}`
      : `${failed} evaluating rule: ${said}`;
    return [invalidValue(path, schema.type ?? '', why)];
  }
};

/** With `optionalOldSelf` the old value is an optional, empty on a create. */
const scopeOf = (
  value: unknown,
  old: unknown,
  { rule, schema, read }: Pick<RuleTree, 'schema' | 'read'> & { readonly rule: CelRule },
): Readonly<Record<string, unknown>> => {
  const before = old === undefined ? undefined : read(old, schema);
  const oldSelf = rule.optionalOldSelf !== true ? before : before === undefined ? Optional.none() : Optional.of(before);
  return { self: read(value, schema), ...(oldSelf !== undefined && { oldSelf }) };
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
  readonly value: unknown;
  readonly why: string;
}

/** Objects and lists are not shown: the rule's own words say more. */
const problemOf = ({ reason }: CelRule, { field, value, why }: Failure): Problem => {
  const shown = typeof value === 'object' ? '' : `: ${JSON.stringify(value)}`;
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, why);
    case 'FieldValueRequired':
      return required(field, why);
    case 'FieldValueDuplicate':
      return { field, reason, message: `Duplicate value${shown}` };
    default:
      return { field, reason: 'FieldValueInvalid', message: `Invalid value${shown}: ${why}` };
  }
};
