/** For tests: evaluates CEL rules of a CRD and of an admission policy with an independent CEL implementation. */
import { isDeepStrictEqual } from 'node:util';
import { Environment } from '@marcbachmann/cel-js';
import { isRecord } from '../../base/json.ts';
import type { AdmissionPolicy } from '../policies/policy.ts';
import type { Rule } from '../schema/fields.ts';
import type { StructuralSchema } from '../schema/structural.ts';

/** CEL has integers; JSON numbers become such where they are whole. */
const toCel = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toCel(item)]));
};

const rulesEnvironment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });

/** The messages of all rules that the object breaks. A rule about the old value is asked only where there is one. */
export const brokenRules = (schema: StructuralSchema, self: unknown, oldSelf?: unknown): readonly string[] => {
  if (self === undefined) return [];
  const own = rulesOf(schema)
    .filter(({ rule }) => !rule.includes('oldSelf') || oldSelf !== undefined)
    .filter(({ rule }) => rulesEnvironment.evaluate(rule, { self: toCel(self), oldSelf: toCel(oldSelf) }) !== true)
    .map(({ message }) => message);
  return [...own, ...childrenOf(schema, self, oldSelf).flatMap((child) => brokenRules(...child))];
};

const rulesOf = (schema: StructuralSchema): readonly Rule[] => {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? rules : [];
};

type Child = [schema: StructuralSchema, self: unknown, oldSelf: unknown];

const childrenOf = (schema: StructuralSchema, self: unknown, oldSelf: unknown): readonly Child[] => {
  if (!isRecord(self)) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, child]): readonly Child[] =>
    typeof child === 'boolean' ? [] : [[child, self[key], isRecord(oldSelf) ? oldSelf[key] : undefined]],
  );
};

export interface PolicyRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly object: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
  /** Verbs that the person who asks has on the object. */
  readonly verbs?: readonly string[];
}

/** The chain `authorizer.group(g).resource(r).name(n).check(verb).allowed()`, as the API server offers it. */
class Authorizer {
  readonly verbs: readonly string[];
  readonly asked: string;

  constructor(verbs: readonly string[], asked = '') {
    this.verbs = verbs;
    this.asked = asked;
  }
}

class Check {
  readonly allowed: boolean;

  constructor(allowed: boolean) {
    this.allowed = allowed;
  }
}

interface Optional {
  orValue(otherwise: unknown): unknown;
}

const createPolicyEnvironment = (): Environment => {
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true })
    .registerType('Authorizer', Authorizer)
    .registerType('Check', Check)
    // Part of CEL, missing in this implementation.
    .registerOperator('optional<dyn> == optional<dyn>', (left: Optional, right: Optional) =>
      isDeepStrictEqual(left.orValue(undefined), right.orValue(undefined)),
    );
  for (const word of ['group', 'resource', 'name']) {
    environment.registerFunction(`Authorizer.${word}(string): Authorizer`, (asker: Authorizer, value: string) => {
      return new Authorizer(asker.verbs, `${asker.asked}/${value}`);
    });
  }
  return environment
    .registerFunction('Authorizer.check(string): Check', ({ verbs, asked }: Authorizer, verb: string) => {
      return new Check(
        verbs.some((granted) => `/infrastructure.cluster.x-k8s.io/machosts/${granted}` === `${asked}:${verb}`),
      );
    })
    .registerFunction('Check.allowed(): bool', ({ allowed }: Check) => allowed);
};

/** The messages of the validations that refuse the request. Verbs are written `<name>:<verb>`. */
export const refusals = (policy: AdmissionPolicy, request: PolicyRequest): readonly string[] => {
  const environment = createPolicyEnvironment();
  const variables: Record<string, unknown> = {};
  const context = {
    object: toCel(request.object),
    oldObject: toCel(request.oldObject ?? null),
    request: { operation: request.operation, ...(request.dryRun !== undefined && { dryRun: request.dryRun }) },
    authorizer: new Authorizer(request.verbs ?? []),
    variables,
  };
  for (const { name, expression } of policy.variables) {
    const evaluate = (): unknown => environment.evaluate(expression, context);
    Object.defineProperty(variables, name, { enumerable: true, get: evaluate });
  }
  return policy.validations
    .filter(({ expression }) => environment.evaluate(expression, context) !== true)
    .map(({ message }) => message);
};
